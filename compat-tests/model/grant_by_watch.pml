/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The exclusive lock with the grant by watch and the look-ahead; docs/protocol.md, "Granted without a request", has the
 * argument in words. `run` checks it, and that each guard is needed: WITHOUT_... leaves one out.
 *
 * Contender c owns node c; all nodes exist from the start, c's before c+1's. That is no restriction: what is created
 * behind a contender does not concern it, and one that comes late does nothing that an early one with a slow first list
 * could not do. So the only transactions are deletions, numbered by zxid. Each session talks to a server of its own,
 * that has applied the transactions up to applied[s], and lags as it likes. A message on its way and a server that lags
 * look the same to a client, so an answer or event arrives when its server makes it, and a broken connection loses the
 * requests that are not processed yet. At most FAULTS faults, of any kinds, happen at any time.
 *
 * There is no cycle: every run ends. So a waiter that nobody wakes shows as an invalid end state.
 */
#ifndef CONTENDERS
#define CONTENDERS 2
#endif
#ifndef FAULTS
#define FAULTS 2
#endif
#ifdef ONE_SESSION /* of the first two contenders */
#define SESSIONS (CONTENDERS - 1)
#define SESSION(c) ((c) == 0 -> 0 : (c) - 1)
#else
#define SESSIONS CONTENDERS
#define SESSION(c) (c)
#endif
#ifdef DOWNGRADE /* contender 0 is a writer that downgrades: its reader's node stands in front of all others */
#define READER CONTENDERS
#define NODES (CONTENDERS + 1)
#else
#define NODES CONTENDERS
#endif
#define NONE 15
#define BIT(n) (1 << (n))

/* The leader. */
byte zxid;
byte deleted[NODES]; /* the zxid of the deletion; 0: not yet */
byte changed[NODES]; /* the zxid of the last change of its data; 0: none */
byte reader_created; /* 0: not yet */
bool alive[SESSIONS] = true;
bool closed[SESSIONS]; /* by an administrator: nobody's lease has a say in it */
byte faults = FAULTS;

/* Sessions: the connection, as server and client see it. */
bool connected[SESSIONS] = true;
byte applied[SESSIONS];
byte seen[SESSIONS];      /* applied by the server before, when the connection broke */
byte watches[SESSIONS];   /* nodes with a watch */
byte unchecked[SESSIONS]; /* of these, the ones that the server of a new connection has not looked at yet */
bool half_applied[SESSIONS]; /* some events of the next transaction were sent, others not yet */
bool lease[SESSIONS] = true; /* runs, by the client's clock; the leader does not expire the session before it ends */
bool over[SESSIONS];         /* the client takes the session for dead: told by the server, or by its own clock */

/* Contenders: requests on their way, their answers, and what the contender knows. */
#define GET_CHILDREN 1
#define SYNC 2
#define GET_OWN 4
#define GET_PREDECESSOR 8
#define GET_SECOND 16
byte sent[CONTENDERS];
bool failed[CONTENDERS];
bool no_node[CONTENDERS]; /* said by an answer about our own node or the predecessor */
bool listed[CONTENDERS];  /* our own node was in the list */
byte before[CONTENDERS];  /* nodes before ours in the list */
byte predecessor[CONTENDERS] = NONE;
byte second[CONTENDERS] = NONE; /* the node before the predecessor */
bool alone[CONTENDERS];         /* the predecessor was, when listed on this connection, the only one before us */
bool own_watched[CONTENDERS];
bool predecessor_watched[CONTENDERS];
bool touched[CONTENDERS]; /* our own node, since the children were asked for */
bool look_again[CONTENDERS];
bool granted[CONTENDERS]; /* by watch */
bool holds[CONTENDERS];

#ifdef DOWNGRADE
#define CREATED(n, z) ((n) != READER || (reader_created != 0 && reader_created <= (z)))
#else
#define CREATED(n, z) true
#endif
#define VISIBLE(n, z) (CREATED(n, z) && (deleted[n] == 0 || deleted[n] > (z)))
#define EXISTS(n) VISIBLE(n, zxid)

/* Guards of the grant by watch. */
#ifdef WITHOUT_OWN_WATCH
#define OWN_NODE_STANDS(c) true
#define GET_OWN_REQUEST 0
#else
#define GET_OWN_REQUEST (own_watched[c] -> 0 : GET_OWN)
#define OWN_NODE_STANDS(c) (own_watched[c] && !touched[c])
#endif
#ifdef WITHOUT_OTHER_SESSION
#define OTHER_SESSION(c, n) true
#else
#define OTHER_SESSION(c, n) (SESSION(n) != SESSION(c))
#endif
#if defined(DOWNGRADE) && !defined(WITHOUT_LISTING)
#define KIND_ALLOWS false /* a read-write lock always lists again */
#else
#define KIND_ALLOWS true
#endif
#ifdef WITHOUT_ALONE
#define ALONE(c) true
#else
#define ALONE(c) alone[c]
#endif
#define CAN_GRANT(c, n)                                                                                                \
    (KIND_ALLOWS && ALONE(c) && predecessor_watched[c] && OWN_NODE_STANDS(c) && OTHER_SESSION(c, n))

/* Count, within one step. */
hidden byte e;
hidden byte woken;

/* A watch of session s has fired: the callback, under the client's mutex. */
inline event(s, n, deletion)
{
    e = 0;
    do
    :: e < CONTENDERS && SESSION(e) != s -> e++
    :: e < CONTENDERS && SESSION(e) == s ->
        if
        :: e == n && (deletion) && holds[e] -> holds[e] = false /* told of the loss */
        :: e == n && !holds[e] ->
#ifdef WITHOUT_CHANGE_USES_UP
            if
            :: deletion -> own_watched[e] = false; touched[e] = true
            :: else
            fi;
#else
            own_watched[e] = false;
            touched[e] = true;
#endif
            look_again[e] = true
        :: n == predecessor[e] ->
            if
            :: (deletion) && CAN_GRANT(e, n) -> granted[e] = true
            :: else -> look_again[e] = true
            fi;
            predecessor_watched[e] = false
        :: n == second[e] -> look_again[e] = true
        :: else
        fi;
        e++
    :: else -> break
    od;
    e = 0
}

/* The session is over for the client: every holder in it is told, every attempt is void. */
inline end_session(s)
{
    over[s] = true;
    lease[s] = false;
    connected[s] = false;
    watches[s] = 0;
    unchecked[s] = 0;
    half_applied[s] = false;
    e = 0;
    do
    :: e < CONTENDERS -> holds[e] = holds[e] && SESSION(e) != s; e++
    :: else -> break
    od;
    e = 0
}

#define NEXT (applied[s] + 1)
#define FIRES(n)                                                                                                       \
    ((watches[s] & BIT(n)) && !(unchecked[s] & BIT(n)) && (deleted[n] == NEXT || changed[n] == NEXT))
#if CONTENDERS == 2 && !defined(DOWNGRADE)
#define SOME_FIRES (FIRES(0) || FIRES(1))
#elif CONTENDERS + defined(DOWNGRADE) == 3
#define SOME_FIRES (FIRES(0) || FIRES(1) || FIRES(2))
#else
#define SOME_FIRES (FIRES(0) || FIRES(1) || FIRES(2) || FIRES(3))
#endif
/* The leader answers a sync, and not to a dead session. */
#define ASKS(c) (SESSION(c) == s && (alive[s] -> sent[c] : sent[c] & ~SYNC))
#if CONTENDERS == 2
#define MORE_ASK false
#elif CONTENDERS == 3
#define MORE_ASK ASKS(2)
#else
#define MORE_ASK (ASKS(2) || ASKS(3))
#endif
#define SERVED (connected[s] && unchecked[s] == 0 && !half_applied[s])

inline get_and_watch(who, node, request)
{
    sent[who] = sent[who] & ~(request);
    if
    :: VISIBLE(node, applied[s]) ->
        watches[s] = watches[s] | BIT(node);
        if
        :: request == GET_OWN -> own_watched[who] = true
        :: request == GET_PREDECESSOR -> predecessor_watched[who] = true
        :: else
        fi
    :: !VISIBLE(node, applied[s]) && request == GET_SECOND -> look_again[who] = true
    :: else -> no_node[who] = true
    fi
}

inline get_children(c)
{
    sent[c] = sent[c] & ~GET_CHILDREN;
    listed[c] = VISIBLE(c, applied[s]);
    before[c] = 0;
    e = 0;
    do
    :: e < c -> if :: VISIBLE(e, applied[s]) -> before[c] = before[c] | BIT(e) :: else fi; e++
    :: else -> break
    od;
    e = 0
#ifdef DOWNGRADE
    ;
    if
    :: c != 0 && VISIBLE(READER, applied[s]) -> before[c] = before[c] | BIT(READER)
    :: else
    fi
#endif
}

/* The server of session s and its connection. */
proctype server(byte s)
{
    byte n, c;
end:
    do
    :: d_step { applied[s] < zxid && !over[s] && !SOME_FIRES -> applied[s]++; half_applied[s] = false }
    :: atomic {
        connected[s] && SOME_FIRES -> /* the events of one transaction come in any order */
        if
        :: FIRES(0) -> n = 0
        :: FIRES(1) -> n = 1
#if NODES > 2
        :: FIRES(2) -> n = 2
#endif
#if NODES > 3
        :: FIRES(3) -> n = 3
#endif
        fi;
        watches[s] = watches[s] & ~BIT(n);
        d_step {
            event(s, n, deleted[n] == NEXT);
            n = 0;
            if
            :: SOME_FIRES -> half_applied[s] = true
            :: else -> applied[s]++; half_applied[s] = false
            fi
        }
    }
    :: atomic {
        connected[s] && unchecked[s] -> /* setWatches: what happened meanwhile is told in any order */
        if
        :: unchecked[s] & 1 -> n = 0
        :: unchecked[s] & 2 -> n = 1
#if NODES > 2
        :: unchecked[s] & 4 -> n = 2
#endif
#if NODES > 3
        :: unchecked[s] & 8 -> n = 3
#endif
        fi;
        d_step {
            unchecked[s] = unchecked[s] & ~BIT(n);
            if
            :: !VISIBLE(n, applied[s]) -> watches[s] = watches[s] & ~BIT(n); event(s, n, true)
            :: VISIBLE(n, applied[s]) && changed[n] > seen[s] && changed[n] <= applied[s] ->
                watches[s] = watches[s] & ~BIT(n);
                event(s, n, false)
            :: else
            fi;
            n = 0
        }
    }
    :: atomic {
        SERVED && (ASKS(0) || ASKS(1) || MORE_ASK) ->
        if
        :: ASKS(0) -> c = 0
        :: ASKS(1) -> c = 1
#if CONTENDERS > 2
        :: ASKS(2) -> c = 2
#endif
#if CONTENDERS > 3
        :: ASKS(3) -> c = 3
#endif
        fi;
        if
        :: sent[c] & GET_CHILDREN -> d_step { get_children(c) }
        :: (sent[c] & SYNC) && alive[s] -> sent[c] = sent[c] & ~SYNC; lease[s] = true
        :: sent[c] & GET_OWN -> d_step { get_and_watch(c, c, GET_OWN) }
        :: sent[c] & GET_PREDECESSOR -> d_step { get_and_watch(c, predecessor[c], GET_PREDECESSOR) }
        :: sent[c] & GET_SECOND -> d_step { get_and_watch(c, second[c], GET_SECOND) }
        fi;
        c = 0
    }
    od
}

/* Does a node before c's stand now? */
inline assert_first(c)
{
    e = 0;
    do
    :: e < c -> assert(!EXISTS(e)); e++
    :: else -> break
    od;
    e = 0
#ifdef DOWNGRADE
    ;
    assert(c == 0 || !EXISTS(READER))
#endif
}

#ifdef DOWNGRADE
#define STANDS(e) (EXISTS(e) || (e == 0 && EXISTS(READER)))
#else
#define STANDS(e) EXISTS(e)
#endif

/* Of two holders, at least one must have lost its node to an administrator, and be about to be told. */
inline assert_held_alone(c)
{
    e = 0;
    do
    :: e < CONTENDERS -> assert(e == c || !holds[e] || !STANDS(e) || !EXISTS(c)); e++
    :: else -> break
    od;
    e = 0
}

/* It stood, alone in front, after some transaction: it outlived every node before it. */
inline assert_has_owned(c)
{
    e = 0;
    do
    :: e < c -> assert(deleted[e] != 0 && (deleted[c] == 0 || deleted[e] < deleted[c])); e++
    :: else -> break
    od;
    e = 0
}

inline stop_waiting(c)
{
    sent[c] = 0;
    failed[c] = false;
    no_node[c] = false;
    listed[c] = false;
    before[c] = 0;
    predecessor[c] = NONE;
    second[c] = NONE;
    alone[c] = false;
    own_watched[c] = false;
    predecessor_watched[c] = false;
    touched[c] = false;
    look_again[c] = false;
    granted[c] = false
}

inline win(c)
{
    d_step {
        assert_first(c);
        assert_held_alone(c);
        assert_has_owned(c);
        assert(alive[SESSION(c)] || closed[SESSION(c)]);
        stop_waiting(c);
        holds[c] = true
    }
}

inline delete_node(n)
{
    zxid++;
    deleted[n] = zxid;
    e = 0;
    woken = 0;
    do
    :: e < CONTENDERS ->
        if
        :: EXISTS(e) && (predecessor[e] == n || second[e] == n) -> woken++
        :: else
        fi;
        e++
    :: else -> break
    od;
    assert(woken <= 2)
}

/* Who is right before us, and who before that. */
inline choose_predecessor(c)
{
    predecessor[c] = NONE;
    second[c] = NONE;
    predecessor_watched[c] = false;
    e = NODES;
    do
    :: e > 0 ->
        e--;
        if
        :: !(before[c] & BIT(e))
        :: (before[c] & BIT(e)) && predecessor[c] == NONE -> predecessor[c] = e
        :: (before[c] & BIT(e)) && predecessor[c] != NONE && second[c] == NONE -> second[c] = e
        :: else
        fi
    :: else -> break
    od;
    alone[c] = second[c] == NONE;
    before[c] = 0;
    listed[c] = false
}

#define CAN_WRITE (connected[s] && alive[s])

/* One acquire, and the release. */
proctype contender(byte c)
{
    byte s = SESSION(c);
list:
    atomic {
        look_again[c] = false; /* before it is sent: what happens from now on may not be in the list */
        touched[c] = false;
        sent[c] = GET_CHILDREN | (lease[s] -> 0 : SYNC)
    }
answered:
    atomic {
        sent[c] == 0 || failed[c] || over[s] ->
        if
        :: over[s] -> goto void
        :: !over[s] && failed[c] -> goto reconnect
        :: !over[s] && !failed[c] && !listed[c] -> goto void
        :: !over[s] && !failed[c] && listed[c] && before[c] == 0 ->
            if
            :: touched[c] -> goto list
            :: !touched[c] && lease[s] -> win(c); goto held
            :: !touched[c] && !lease[s] -> d_step { end_session(s) }; goto void
            fi
        :: else -> d_step {
            choose_predecessor(c);
            sent[c] = GET_PREDECESSOR | GET_OWN_REQUEST | (second[c] == NONE -> 0 : GET_SECOND)
        }
        fi
    }
waiting:
    atomic {
        over[s] || failed[c] || granted[c] || (sent[c] == 0 && (no_node[c] || look_again[c])) ->
        if
        :: over[s] -> goto void
        :: !over[s] && granted[c] ->
            granted[c] = false;
            if
#ifndef WITHOUT_LEASE
            :: !lease[s] ->
                sent[c] = 0;
                failed[c] = false;
                goto list
#endif
            :: else -> win(c); goto held
            fi
        :: !over[s] && !granted[c] && failed[c] -> goto reconnect
        :: else -> no_node[c] = false; goto list
        fi
    }
reconnect:
    atomic {
        connected[s] || over[s] ->
        failed[c] = false;
        no_node[c] = false;
        granted[c] = false;
        goto list
    }
held:
    do
    :: d_step { !holds[c] -> skip }; break /* told of its loss */
#ifdef DOWNGRADE
    :: d_step {
        c == 0 && holds[c] && CAN_WRITE && EXISTS(c) && reader_created == 0 ->
        zxid++;
        reader_created = zxid
    }
    :: d_step { c == 0 && holds[c] && CAN_WRITE && EXISTS(c) && reader_created -> delete_node(c) } /* reads on */
#endif
    :: d_step {
        holds[c] && CAN_WRITE ->
        holds[c] = false;
#ifdef DOWNGRADE
        if
        :: c == 0 && reader_created && EXISTS(READER) -> delete_node(READER)
        :: else
        fi;
#endif
        if
        :: EXISTS(c) -> delete_node(c)
        :: else
        fi
    }
    break
    od;
    goto done;
void:
    atomic { stop_waiting(c) };
done:
    skip
}

inline break_connection(s)
{
    connected[s] = false;
    half_applied[s] = false;
    unchecked[s] = watches[s];
    seen[s] = applied[s];
    e = 0;
    do
    :: e < CONTENDERS && SESSION(e) == s ->
        failed[e] = sent[e] != 0;
        sent[e] = 0;
#ifndef WITHOUT_UNBROKEN_CONNECTION
        alone[e] = false;
        own_watched[e] = false;
        predecessor_watched[e] = false;
#endif
        e++
    :: e < CONTENDERS && SESSION(e) != s -> e++
    :: else -> break
    od;
    e = 0
}

inline reconnect_session(s)
{
    connected[s] = true;
    e = 0;
    do
#ifdef WITHOUT_UNBROKEN_CONNECTION
    :: e < 0 -> skip
#else
    :: e < CONTENDERS && predecessor[e] != NONE && SESSION(e) == s -> look_again[e] = true; e++
    :: e < CONTENDERS && (predecessor[e] == NONE || SESSION(e) != s) -> e++
#endif
    :: else -> break
    od;
    e = 0
}

#define EXISTS_BEFORE(n) (CREATED(n, zxid) && deleted[n] == 0)

/* The nodes of a session go in one transaction. */
inline kill_session(s)
{
    alive[s] = false;
    zxid++;
    e = 0;
    do
    :: e < CONTENDERS ->
        if
        :: SESSION(e) == s && EXISTS_BEFORE(e) -> deleted[e] = zxid
        :: else
        fi;
        e++
    :: else -> break
    od;
    e = 0
#ifdef DOWNGRADE
    ;
    if
    :: s == 0 && EXISTS_BEFORE(READER) -> deleted[READER] = zxid
    :: else
    fi
#endif
}

inline assert_nobody_holds(s)
{
    e = 0;
    do
    :: e < CONTENDERS -> assert(SESSION(e) != s || !holds[e]); e++
    :: else -> break
    od;
    e = 0
}

#define SOMEBODY_HOLDS(s)                                                                                              \
    ((holds[0] && SESSION(0) == (s)) || (holds[1] && SESSION(1) == (s)) || MORE_HOLD(s))
#if CONTENDERS == 2
#define MORE_HOLD(s) false
#elif CONTENDERS == 3
#define MORE_HOLD(s) (holds[2] && SESSION(2) == (s))
#else
#define MORE_HOLD(s) ((holds[2] && SESSION(2) == (s)) || (holds[3] && SESSION(3) == (s)))
#endif

/* What befalls session s. */
proctype fate(byte s)
{
end:
    do
    :: d_step { faults > 0 && connected[s] -> faults--; break_connection(s) }
    :: d_step { connected[s] && !alive[s] -> break_connection(s) } /* by the server, sooner or later */
    :: d_step { !connected[s] && !over[s] && alive[s] -> reconnect_session(s) }
    :: d_step { !connected[s] && !over[s] && !alive[s] -> end_session(s) } /* told by a server: expired */
    :: d_step {
        faults > 0 && lease[s] && !over[s] -> /* no sign of life for long: a holder's session is over for it */
        faults--;
        lease[s] = false;
        if
        :: SOMEBODY_HOLDS(s) -> end_session(s)
        :: else
        fi
    }
    :: d_step {
        alive[s] && !lease[s] && (faults > 0 || over[s]) -> /* expired by the leader */
        faults = faults - (over[s] -> 0 : 1);
        assert_nobody_holds(s);
        kill_session(s)
    }
    :: d_step { faults > 0 && alive[s] -> faults--; closed[s] = true; kill_session(s) }
    od
}
/* Deletes and changes others' nodes. */
proctype administrator()
{
    byte n;
end:
    do
    :: atomic {
        faults > 0 ->
        if
        :: EXISTS(0) -> n = 0
        :: EXISTS(1) -> n = 1
#if NODES > 2
        :: EXISTS(2) -> n = 2
#endif
#if NODES > 3
        :: EXISTS(3) -> n = 3
#endif
        fi;
        faults--;
        if
        :: d_step { delete_node(n); n = 0 }
        :: d_step { zxid++; changed[n] = zxid; n = 0 }
        fi
    }
    od
}

init
{
    atomic {
        byte i;
        for (i : 0 .. SESSIONS - 1) {
            run server(i);
            run fate(i)
        }
        for (i : 0 .. CONTENDERS - 1) {
            run contender(i)
        }
        run administrator()
    }
}
