/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The exclusive lock with the grant by watch and the look-ahead. docs/protocol.md, "Granted without a request", has
 * the argument in words, docs/glossary.md the terms. `run` checks the model, and that each guard is needed:
 * WITHOUT_... leaves one out.
 *
 * Contender c owns node c. All nodes exist from the start, c's before c+1's. That is no restriction: a contender does
 * not depend on what is created behind it, and a late contender does nothing that an early one with a slow first list
 * could not do. So the only transactions are deletions, numbered by zxid. Each session has a server of its own, which
 * has applied the transactions up to applied[s], and lags as it likes. A client cannot distinguish a message on its
 * way from a server that lags. So an answer or event arrives when its server creates it, and a broken connection loses
 * the requests that are not processed yet. At most FAULTS faults, of any kinds, happen at any time.
 *
 * No name is created again: `n` stands for one transaction of creation, as the czxid does that the code compares. If
 * somebody deletes our node and creates another of its name, this comparison makes it a deletion of ours that is
 * reported late (as a change, or by the next read). The model has that: an event that is yet to come, a change, an
 * answer that says "gone". The comparison needs an `exists` behind a list while our own node is not watched; that adds
 * requests but no state that decides. compat-tests/mutex/identity_test.py tests it on a server.
 *
 * There is no cycle: every run ends. So a waiter that nobody wakes shows as an invalid end state.
 */
#ifndef CONTENDERS
#define CONTENDERS 2
#endif
#ifndef FAULTS
#define FAULTS 2
#endif
#ifdef ONE_SESSION /* the first two contenders have one */
#define SESSIONS (CONTENDERS - 1)
#define SESSION(c) ((c) == 0 -> 0 : (c) - 1)
#elif defined FIRST_AND_LAST /* the first and the last of three contenders have one */
#define SESSIONS 2
#define SESSION(c) ((c) == 1 -> 1 : 0)
#else
#define SESSIONS CONTENDERS
#define SESSION(c) (c)
#endif
#ifdef DOWNGRADE /* contender 0 is a writer that downgrades: its reader's node precedes all others */
#define READER CONTENDERS
#define NODES (CONTENDERS + 1)
#else
#define NODES CONTENDERS
#endif
/* The kinds of faults. KINDS leaves some out where all of them together are too many states. */
#define BREAK 1
#define DELETE 2
#define CHANGE 4
#define EXPIRE 8
#define CLOSE 16
#ifndef KINDS
#define KINDS 31
#endif
#define FAULT(kind) (faults > 0 && (KINDS & (kind)))
#define NONE 15
#define BIT(n) (1 << (n))

/* The leader. */
byte zxid;
byte deleted[NODES]; /* the zxid of the deletion; 0: not yet */
byte changed[NODES]; /* the zxid of the last change of its data; 0: none */
byte reader_created; /* 0: not yet */
bool alive[SESSIONS] = true;
bool closed[SESSIONS]; /* by an administrator, without regard to the lease */
byte faults = FAULTS;

/* Sessions: the connection, as server and client see it. */
bool connected[SESSIONS] = true;
byte applied[SESSIONS];
byte seen[SESSIONS];      /* what the previous server had applied when the connection broke */
byte watches[SESSIONS];   /* nodes with a watch */
byte unchecked[SESSIONS]; /* of these, the ones that the server of a new connection has not compared yet */
bool half_applied[SESSIONS]; /* some events of the next transaction were sent, others not yet */
bool lease[SESSIONS] = true; /* by the client's clock; the leader does not expire the session before it ends */
bool over[SESSIONS];         /* the session is dead for the client: the server said so, or its own clock */

/* Contenders: requests on their way, their answers, what the contender knows. */
#define GET_CHILDREN 1
#define SYNC 2
#define GET_OWN 4
#define GET_PREDECESSOR 8
#define GET_SECOND 16
byte sent[CONTENDERS];
bool failed[CONTENDERS];
bool own_gone[CONTENDERS]; /* an answer said so */
bool listed[CONTENDERS];  /* our own node was in the list */
byte before[CONTENDERS];  /* nodes before ours in the list */
byte ahead_of[CONTENDERS]; /* how many nodes precede ours, less those known to be gone */
byte predecessor[CONTENDERS] = NONE;
bool predecessor_set[CONTENDERS]; /* its watch: requested on this connection, and not used up */
bool predecessor_gone[CONTENDERS]; /* reported on this connection */
byte second[CONTENDERS] = NONE; /* the node before the predecessor */
bool second_set[CONTENDERS];
bool second_gone[CONTENDERS];
bool own_set[CONTENDERS];
bool touched[CONTENDERS]; /* our own node was deleted or changed since the children were requested */
bool look_again[CONTENDERS];
bool sleeps[CONTENDERS]; /* waits for its turn */
bool asked[CONTENDERS];  /* the children are listed meanwhile: the thread that delivered an event requested it */
bool holds[CONTENDERS];
bool finished[CONTENDERS];

#ifdef DOWNGRADE
#define CREATED(n, z) ((n) != READER || (reader_created != 0 && reader_created <= (z)))
#else
#define CREATED(n, z) true
#endif
#define VISIBLE(n, z) (CREATED(n, z) && (deleted[n] == 0 || deleted[n] > (z)))
#define EXISTS(n) VISIBLE(n, zxid)

/* The conditions under which the predecessor's deletion alone makes c the owner; a broken variant leaves one out. */
#ifdef WITHOUT_OWN_WATCH
#define OWN_NODE_STANDS(c) true
#define GET_OWN_REQUEST 0
#else
#define OWN_NODE_STANDS(c) (own_set[c] && !touched[c])
#define GET_OWN_REQUEST (own_set[c] -> 0 : GET_OWN)
#endif
#ifdef WITHOUT_OTHER_SESSION_AHEAD
#define OTHER_SESSION_AHEAD(c) true
#else
#define OTHER_SESSION_AHEAD(c) (SESSION(second[c]) != SESSION(c))
#endif
#ifdef WITHOUT_OTHER_SESSION
#define OTHER_SESSION(c) true
#else
#define OTHER_SESSION(c) (SESSION(predecessor[c]) != SESSION(c))
#endif
#ifdef WITHOUT_ALONE
#define ALONE(c) true
#else
#define ALONE(c) (ahead_of[c] == 1)
#endif
#ifdef WITHOUT_LEASE
#define LEASE_RUNS(c) true
#else
#define LEASE_RUNS(c) lease[SESSION(c)]
#endif
#if defined(DOWNGRADE) && !defined(WITHOUT_LISTING)
#define APPEND_ONLY false /* a read-write lock always lists again */
#else
#define APPEND_ONLY true
#endif
#define IS_OUR_TURN(c)                                                                                                 \
    (APPEND_ONLY && ALONE(c) && predecessor_gone[c] && OTHER_SESSION(c) && OWN_NODE_STANDS(c) && !look_again[c] &&     \
     LEASE_RUNS(c) && !asked[c])

/* Within one step. */
hidden byte e, woken, first, next;
hidden byte nobody_stands_before_us, our_node_has_been_first, nobody_else_holds, the_session_lives;
hidden byte at_most_two_are_woken, no_holder_is_left;

/* The node before the predecessor was the first and is deleted: no list is needed to know who is first now. */
inline count_down(c)
{
    if
    :: !asked[c] && second_gone[c] && ahead_of[c] == 2 && OTHER_SESSION_AHEAD(c) ->
        ahead_of[c] = 1;
        second[c] = NONE;
        second_gone[c] = false
    :: else
    fi
}

#define WANTS_LIST(c) (look_again[c] || predecessor_gone[c] || second_gone[c])

/* The thread that delivers an event about a node before ours requests the list, if the waiter will need it. */
inline ask_for_list(c)
{
    count_down(c);
    if
    :: predecessor_gone[c] && !IS_OUR_TURN(c) && lease[SESSION(c)] ->
        look_again[c] = false;
        touched[c] = false;
        sent[c] = GET_CHILDREN;
        asked[c] = true
    :: else
    fi
}

/* A watch of session s has fired: the callback, under the client's mutex. */
inline event(s, n, deletion)
{
    e = 0;
    do
    :: e < CONTENDERS && SESSION(e) != s -> e++
    :: e < CONTENDERS && SESSION(e) == s ->
        if
        :: e == n && (deletion) && holds[e] -> holds[e] = false /* the loss is reported */
        :: e == n && !holds[e] && predecessor[e] != NONE ->
#ifdef WITHOUT_CHANGES
            own_set[e] = own_set[e] && !(deletion);
            touched[e] = touched[e] || (deletion);
            look_again[e] = look_again[e] || (deletion)
#else
            own_set[e] = false;
            touched[e] = true;
            look_again[e] = true
#endif
        :: e != n && (n == predecessor[e] || n == second[e]) ->
            if
            :: n == predecessor[e] ->
                predecessor_set[e] = false;
                predecessor_gone[e] = predecessor_gone[e] || (deletion)
            :: else ->
                second_set[e] = false;
                second_gone[e] = second_gone[e] || (deletion)
            fi;
            look_again[e] = look_again[e] || !(deletion);
            if
            :: sleeps[e] && sent[e] == 0 && !asked[e] && !failed[e] && !own_gone[e] -> ask_for_list(e)
            :: else
            fi
        :: else
        fi;
        e++
    :: else -> break
    od;
    e = 0
}

/* The session is over for the client: the loss is reported to every holder in it, every attempt is void. */
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
#define TO_COME(n) ((watches[s] & BIT(n)) && (deleted[n] > applied[s] || changed[n] > applied[s]))
#define SENT(c) (SESSION(c) == s && sent[c])
#define AT_WORK(c) (SESSION(c) == s && !finished[c])
#if NODES == 2
#define ANY_NODE(is) (is(0) || is(1))
#elif NODES == 3
#define ANY_NODE(is) (is(0) || is(1) || is(2))
#else
#define ANY_NODE(is) (is(0) || is(1) || is(2) || is(3))
#endif
#if CONTENDERS == 2
#define ANY_CONTENDER(is) (is(0) || is(1))
#elif CONTENDERS == 3
#define ANY_CONTENDER(is) (is(0) || is(1) || is(2))
#else
#define ANY_CONTENDER(is) (is(0) || is(1) || is(2) || is(3))
#endif
/* Otherwise the server may as well apply the next transaction later. */
#define LAG_MATTERS (ANY_CONTENDER(AT_WORK) && (!connected[s] || ANY_CONTENDER(SENT) || ANY_NODE(TO_COME)))
/* The leader answers a sync, but not for a dead session. */
#define ASKS(c) (SESSION(c) == s && (alive[s] -> sent[c] : sent[c] & ~SYNC))
#define SERVED (connected[s] && unchecked[s] == 0 && !half_applied[s])

inline get_and_watch(who, node, request)
{
    sent[who] = sent[who] & ~(request);
    if
    :: VISIBLE(node, applied[s]) -> watches[s] = watches[s] | BIT(node)
    :: !VISIBLE(node, applied[s]) && request == GET_OWN -> own_set[who] = false; own_gone[who] = true
#ifndef WITHOUT_NO_NODE
    :: !VISIBLE(node, applied[s]) && request == GET_PREDECESSOR ->
        predecessor_set[who] = false;
        predecessor_gone[who] = true
#endif
    :: !VISIBLE(node, applied[s]) && request == GET_SECOND -> second_set[who] = false; second_gone[who] = true
    :: else
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
    :: d_step {
        applied[s] < zxid && !ANY_NODE(FIRES) && LAG_MATTERS ->
        applied[s]++;
        half_applied[s] = false
    }
    :: atomic {
        connected[s] && ANY_NODE(FIRES) -> /* the events of one transaction come in any order */
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
            :: ANY_NODE(FIRES) -> half_applied[s] = true
            :: else -> applied[s]++; half_applied[s] = false
            fi
        }
    }
    :: atomic {
        connected[s] && unchecked[s] -> /* setWatches: what happened meanwhile is reported in any order */
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
        SERVED && ANY_CONTENDER(ASKS) ->
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
        :: (sent[c] & GET_PREDECESSOR) && !(sent[c] & GET_OWN) ->
            d_step { get_and_watch(c, predecessor[c], GET_PREDECESSOR) }
        :: sent[c] == GET_SECOND -> d_step { get_and_watch(c, second[c], GET_SECOND) }
        fi;
        c = 0
    }
    od
}

#ifdef DOWNGRADE
#define STANDS(n) (EXISTS(n) || (n == 0 && EXISTS(READER)))
#define READER_BEFORE(c) ((c) != 0 && EXISTS(READER))
#else
#define STANDS(n) EXISTS(n)
#define READER_BEFORE(c) false
#endif

inline check_grant(c)
{
    nobody_stands_before_us = !READER_BEFORE(c);
    our_node_has_been_first = true;
    nobody_else_holds = true;
    e = 0;
    do
    :: e < CONTENDERS ->
        if
        :: e < c && EXISTS(e) -> nobody_stands_before_us = false
        :: e < c && deleted[c] && deleted[c] <= deleted[e] -> our_node_has_been_first = false
        :: e != c && holds[e] && STANDS(e) && EXISTS(c) -> nobody_else_holds = false
        :: else
        fi;
        e++
    :: else -> break
    od;
    e = 0;
    the_session_lives = alive[SESSION(c)] || closed[SESSION(c)];
    assert(nobody_stands_before_us);
    assert(our_node_has_been_first);
    assert(nobody_else_holds);
    assert(the_session_lives)
}
inline stop_watching(who)
{
    own_set[who] = false;
    predecessor_set[who] = false;
    predecessor_gone[who] = false;
    second_set[who] = false;
    second_gone[who] = false
}

inline stop_waiting(c)
{
    stop_watching(c);
    sent[c] = 0;
    sleeps[c] = false;
    asked[c] = false;
    failed[c] = false;
    own_gone[c] = false;
    listed[c] = false;
    before[c] = 0;
    ahead_of[c] = 0;
    predecessor[c] = NONE;
    second[c] = NONE;
    touched[c] = false;
    look_again[c] = false
}

inline win(c)
{
    d_step {
        check_grant(c);
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
    at_most_two_are_woken = woken <= 2;
    assert(at_most_two_are_woken)
}

/* Watches the nodes right before ours: requests the watches that are not set yet. */
inline watch_those_before(c)
{
    ahead_of[c] = 0;
    first = NONE;
    next = NONE;
    e = NODES;
    do
    :: e > 0 ->
        e--;
        if
        :: before[c] & BIT(e) ->
            ahead_of[c]++;
            if
            :: first == NONE -> first = e
            :: first != NONE && next == NONE -> next = e
            :: else
            fi
        :: else
        fi
    :: else -> break
    od;
    if
    :: predecessor[c] != first -> predecessor[c] = first; predecessor_set[c] = false
    :: else
    fi;
    predecessor_gone[c] = false; /* it is in the list, so it exists, or getData says that it is gone */
    if
    :: second[c] != next -> second[c] = next; second_set[c] = false
    :: else
    fi;
    second_gone[c] = false;
    before[c] = 0;
    listed[c] = false;
    sent[c] = GET_OWN_REQUEST;
    own_set[c] = true; /* before the requests are sent: an event that uses the watch up clears it */
    if
    :: !predecessor_set[c] && !predecessor_gone[c] ->
        predecessor_set[c] = true;
        sent[c] = sent[c] | GET_PREDECESSOR
    :: else
    fi;
    if
    :: second[c] != NONE && !second_set[c] && !second_gone[c] ->
        second_set[c] = true;
        sent[c] = sent[c] | GET_SECOND
    :: else
    fi;
    first = 0;
    next = 0
}

#define CAN_WRITE (connected[s] && alive[s])

/* One acquire, and the release. */
proctype contender(byte c)
{
    byte s = SESSION(c);
list:
    atomic {
        look_again[c] = false; /* before the request: what happens from now on may be missing in the list */
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
        :: else -> d_step { watch_those_before(c); sleeps[c] = true }
        fi
    }
waiting:
    atomic {
        over[s] || failed[c] || (asked[c] && (look_again[c] || sent[c] == 0)) ||
            (sent[c] == 0 && (own_gone[c] || WANTS_LIST(c))) ->
        if
        :: over[s] || (!failed[c] && own_gone[c]) -> goto void
        :: !over[s] && failed[c] -> goto reconnect
        :: else ->
            d_step { count_down(c) };
            if
            :: IS_OUR_TURN(c) -> win(c); goto held
            :: !IS_OUR_TURN(c) && asked[c] -> sleeps[c] = false; asked[c] = false; goto answered
            :: !IS_OUR_TURN(c) && !asked[c] && WANTS_LIST(c) -> sleeps[c] = false; goto list
            :: else -> goto waiting
            fi
        fi
    }
reconnect:
    atomic {
        connected[s] || over[s] ->
        failed[c] = false;
        own_gone[c] = false;
        sleeps[c] = false;
        asked[c] = false;
        goto list
    }
held:
    do
    :: d_step { !holds[c] -> skip }; break /* its loss is reported */
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
void:
    atomic {
        stop_waiting(c);
        finished[c] = true;
        if
        :: !ANY_CONTENDER(AT_WORK) -> watches[s] = 0; unchecked[s] = 0; applied[s] = 0; seen[s] = 0
        :: else
        fi
    }
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
        failed[e] = failed[e] || sent[e] != 0;
#ifdef WITHOUT_UNBROKEN_CONNECTION
        own_set[e] = own_set[e] && !(sent[e] & GET_OWN);
        predecessor_set[e] = predecessor_set[e] && !(sent[e] & GET_PREDECESSOR);
        second_set[e] = second_set[e] && !(sent[e] & GET_SECOND);
#else
        stop_watching(e);
#endif
        sent[e] = 0;
        e++
    :: e < CONTENDERS && SESSION(e) != s -> e++
    :: else -> break
    od;
    e = 0
}

inline reconnect_session(s)
{
    connected[s] = true;
#ifndef WITHOUT_UNBROKEN_CONNECTION
    e = 0;
    do
    :: e < CONTENDERS && predecessor[e] != NONE && SESSION(e) == s -> stop_watching(e); look_again[e] = true; e++
    :: e < CONTENDERS && (predecessor[e] == NONE || SESSION(e) != s) -> e++
    :: else -> break
    od;
    e = 0
#endif
}

#define EXISTS_BEFORE(n) (CREATED(n, zxid) && deleted[n] == 0)

/* The nodes of a session are deleted in one transaction. */
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

#define HOLDS(c) (SESSION(c) == s && holds[c])

/* The faults of session s. */
proctype session_faults(byte s)
{
end:
    do
    :: d_step { FAULT(BREAK) && connected[s] && ANY_CONTENDER(AT_WORK) -> faults--; break_connection(s) }
    :: d_step { connected[s] && !alive[s] && ANY_CONTENDER(AT_WORK) -> break_connection(s) } /* by the server */
    :: d_step { !connected[s] && !over[s] && alive[s] -> reconnect_session(s) }
    :: d_step { !connected[s] && !over[s] && !alive[s] -> end_session(s) } /* a server says: expired */
    :: d_step {
        FAULT(EXPIRE) && lease[s] && !over[s] && ANY_CONTENDER(AT_WORK) -> /* the lease ends, and a holder's session */
        faults--;
        lease[s] = false;
        if
        ::  ANY_CONTENDER(HOLDS) -> end_session(s)
        :: else
        fi
    }
    :: d_step {
        alive[s] && !lease[s] && (FAULT(EXPIRE) || over[s]) -> /* expired by the leader */
        faults = faults - (over[s] -> 0 : 1);
        no_holder_is_left = !ANY_CONTENDER(HOLDS);
        assert(no_holder_is_left);
        kill_session(s)
    }
    :: d_step {
        FAULT(CLOSE) && alive[s] && ANY_CONTENDER(AT_WORK) -> /* closed by an administrator */
        faults--;
        closed[s] = true;
        kill_session(s)
    }
    od
}
/* Deletes and changes the nodes of contenders. */
proctype administrator()
{
    byte n;
end:
    do
    :: atomic {
        FAULT(DELETE | CHANGE) && ANY_NODE(EXISTS) ->
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
        :: d_step { (KINDS & DELETE) -> delete_node(n); n = 0 }
        :: d_step { (KINDS & CHANGE) -> zxid++; changed[n] = zxid; n = 0 }
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
            run session_faults(i)
        }
        for (i : 0 .. CONTENDERS - 1) {
            run contender(i)
        }
        run administrator()
    }
}
