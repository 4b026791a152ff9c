/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The lease of a session: what a client may conclude from the answers of a leader that it reaches through a follower.
 * docs/protocol.md, "Why the lease is safe, and where it is not", has the argument in words. `run` checks the model,
 * and that each condition is needed: WITHOUT_... leaves one out.
 *
 * Messages keep their order and take as long as they like, even for ever. So the model contains every pause and every
 * cut of client, link and follower. Only the leader's clock is on time: it pings every half tick. The client sends
 * requests when it likes. The clock gives no order within one unit of time, so the client takes for earlier only what
 * is earlier by the clock.
 *
 * The lease ends a session timeout after `since`. The leader may hear nothing more from any moment on, and ends the
 * session a session timeout after `touched`. So two can hold the lock only if `since` is ever later than `touched`.
 */
#ifndef HALF_TICK
#define HALF_TICK 2
#endif
#ifndef REQUESTS
#define REQUESTS 3
#endif
#ifndef END
#define END 6
#endif
#ifdef RECONNECT
#define SERVERS 2
#else
#define SERVERS 1
#endif
#define PING REQUESTS
#define CONNECT (REQUESTS + 1)
#define BEGIN 1

byte now = BEGIN;

/* The leader. */
byte touched = BEGIN; /* when it last heard of the session */
byte next_ping = BEGIN;

/* The servers, and the channels between all of them. */
bool heard[SERVERS]; /* something from the client since the last answer to a ping */
chan to_server[SERVERS] = [REQUESTS + 1] of {byte};
chan to_leader[SERVERS] = [END / HALF_TICK + REQUESTS + 2] of {byte, bool};
chan from_leader[SERVERS] = [2 * REQUESTS + 2] of {byte};
bool ping_is_last[SERVERS]; /* of the leader's messages to it; a second ping right behind it would add nothing */
chan to_client[SERVERS] = [REQUESTS + 1] of {byte};

/* The client. */
bool server; /* that it is connected to */
bool connected = true;
byte asked;
byte broken; /* requests before this one were sent on the previous connection */
byte sent[REQUESTS];
byte answered[REQUESTS]; /* 0: not yet */
byte last_sent = BEGIN;  /* of the requests that were answered */
byte proved;
byte since = BEGIN; /* from where the lease counts */

hidden byte i;
hidden byte the_leader_knew_by_then;

inline check()
{
    the_leader_knew_by_then = since <= touched;
    assert(the_leader_knew_by_then)
}

#ifdef WITHOUT_ORDER /* between the answer to c and the sending of a */
#define PROVES(c, last) ((c) == (last))
#else
#define PROVES(c, last) (answered[c] != 0 && answered[c] < sent[last])
#endif
#ifdef WITHOUT_HALF_TICK
#define ALLOWANCE 0
#else
#define ALLOWANCE HALF_TICK
#endif
#ifdef WITHOUT_ANSWER /* counts when r was sent, not when it was answered */
#define WAS_THERE(r) (sent[r] + ALLOWANCE < proved)
#else
#define WAS_THERE(r) (answered[r] + ALLOWANCE < proved)
#endif

inline conclude(last)
{
    answered[last] = now;
    last_sent = (sent[last] > last_sent -> sent[last] : last_sent);
    for (i : 0 .. REQUESTS - 1) {
        if
        :: i >= broken && i < asked && PROVES(i, last) && sent[i] > proved -> proved = sent[i]
        :: else
        fi
    }
    for (i : 0 .. REQUESTS - 1) {
        if
        :: i >= broken && i < asked && answered[i] != 0 && WAS_THERE(i) && sent[i] > since -> since = sent[i]
        :: else
        fi
    }
    i = 0;
    check()
}

proctype client()
{
    byte n;
end:
    do
    :: d_step { connected && asked < REQUESTS -> sent[asked] = now; to_server[server]!asked; asked++ }
    :: d_step {
        nempty(to_client[server]) ->
        to_client[server]?n;
        if
        :: n == CONNECT ->
            connected = true;
            broken = asked;
#ifdef WITHOUT_LAST_REQUEST
            since = now;
#else
            since = (last_sent > since -> last_sent : since);
#endif
            check()
        :: else -> conclude(n)
        fi;
        n = 0
    }
#ifdef RECONNECT
    :: d_step { connected && server == 0 -> connected = false; server = 1; to_server[1]!CONNECT }
#endif
    od
}

proctype follower(byte s)
{
    byte n;
end:
    do
    :: d_step {
        nempty(to_server[s]) ->
        to_server[s]?n;
        heard[s] = heard[s] || n != CONNECT;
        to_leader[s]!n,false;
        n = 0
    }
#ifdef WITHOUT_LEADER /* answers that the follower gives by itself count too */
    :: d_step { nempty(to_server[s]) -> to_server[s]?n; heard[s] = true; to_client[s]!n; n = 0 }
#endif
    :: d_step {
        nempty(from_leader[s]) ->
        from_leader[s]?n;
        if
        :: n == PING -> to_leader[s]!PING,heard[s]; heard[s] = false
        :: else -> to_client[s]!n
        fi;
        n = 0
    }
    od
}

inline hear(s)
{
    if
    :: (n == PING && touches) || n == CONNECT -> touched = now
    :: else
    fi;
    if
    :: n != PING -> from_leader[s]!n; ping_is_last[s] = false
    :: else
    fi;
    n = 0;
    touches = false
}

proctype leader()
{
    byte n;
    bool touches;
end:
    do
    :: d_step {
        next_ping == now ->
        for (n : 0 .. SERVERS - 1) {
            if
            :: len(from_leader[n]) == 0 || !ping_is_last[n] -> from_leader[n]!PING; ping_is_last[n] = true
            :: len(from_leader[n]) != 0 && ping_is_last[n]
            fi
        }
        next_ping = next_ping + HALF_TICK;
        n = 0
    }
    :: d_step {
        nempty(to_leader[0]) ->
        to_leader[0]?n,touches;
        hear(0)
    }
#ifdef RECONNECT
    :: d_step {
        nempty(to_leader[1]) ->
        to_leader[1]?n,touches;
        hear(1)
    }
#endif
    :: d_step { now < END && next_ping > now -> now++ } /* the pings are not late */
    od
}

init
{
    atomic {
        byte j;
        for (j : 0 .. SERVERS - 1) {
            run follower(j)
        }
        run leader();
        run client()
    }
}
