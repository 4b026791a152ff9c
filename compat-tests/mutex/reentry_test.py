# SPDX-License-Identifier: Apache-2.0
"""Ownership is by thread: counted, not to be given away, not inherited."""


def test_the_node_stays_until_the_last_release(mutex_of, admin, path):
    """kazoo#291, kazoo#134."""
    mutex = mutex_of("c")
    mutex.acquire()
    node, token, lock_path = admin.children(path), mutex.token(), mutex.lock_path()
    mutex.acquire()
    mutex.acquire_for(0)
    for _ in range(2):
        mutex.release()
        assert admin.children(path) == node
        assert mutex.is_owned() and mutex.is_acquired()
        assert (mutex.token(), mutex.lock_path()) == (token, lock_path)
    mutex.release()
    assert admin.children(path) == []
    assert not mutex.is_owned() and not mutex.is_acquired()


def test_a_release_too_many_is_refused_and_changes_nothing(mutex_of, admin, path):
    mutex = mutex_of("c")
    refused = mutex.release(expect="CURATOR_NOT_OWNER")
    assert path in refused.error
    mutex.acquire()
    mutex.release()
    mutex.release(expect="CURATOR_NOT_OWNER")
    mutex.acquire()
    assert len(admin.children(path)) == 1
    mutex.release()


def test_a_thread_that_does_not_own_can_neither_release_nor_ask_for_the_token(mutex_of, admin, path):
    """Netflix#117, CURATOR-347."""
    mutex = mutex_of("c")
    mutex.acquire(thread="owner")
    node = admin.children(path)
    mutex.release(thread="other", expect="CURATOR_NOT_OWNER")
    for verb in ("lock_path", "token"):
        mutex.call(verb, thread="other", expect="CURATOR_NOT_OWNER")
    assert admin.children(path) == node
    assert mutex.is_owned(thread="owner") and not mutex.is_owned(thread="other")
    assert mutex.is_acquired(thread="other")
    mutex.release(thread="owner")


def test_another_object_on_the_same_path_is_another_contender_even_for_the_same_thread(mutex_of, admin, path):
    """zoo_lock.c, apache/pulsar#17759."""
    mutex = mutex_of("c")
    second = mutex.client.mutex(path)
    mutex.acquire(thread="one")
    second.acquire_for(200, thread="one", expect="CURATOR_TIMED_OUT")
    second.release(thread="one", expect="CURATOR_NOT_OWNER")
    admin.wait_for_children(path, 1)
    assert not second.is_acquired()
    waiting = second.begin("acquire", thread="two")
    admin.wait_for_children(path, 2)
    mutex.release(thread="one")
    waiting.wait()
    second.release(thread="two")


def test_a_new_thread_does_not_inherit_from_one_that_ended_while_holding(mutex_of, admin, path):
    mutex = mutex_of("c")
    mutex.acquire(thread="short-lived")
    mutex.peer.end_thread("short-lived")
    node = admin.children(path)
    for number in range(5):  # thread ids of the system are used again soon
        thread = f"heir-{number}"
        assert not mutex.is_owned(thread=thread)
        mutex.release(thread=thread, expect="CURATOR_NOT_OWNER")
        mutex.acquire_for(50, thread=thread, expect="CURATOR_TIMED_OUT")
        mutex.peer.end_thread(thread)
    assert admin.wait_for_children(path, 1) == node
    mutex.destroy()
    admin.wait_for_children(path, 0)


def test_the_fencing_token_grows_with_every_grant_also_when_the_path_is_made_anew(mutex_of, admin, path):
    one, two = mutex_of("c"), mutex_of("c")
    tokens = []
    for number in range(10):
        mutex = (one, two)[number % 2]
        mutex.acquire()
        tokens.append(mutex.token())
        mutex.release()
        if number == 5:
            admin.delete(path)
    assert tokens == sorted(set(tokens))
