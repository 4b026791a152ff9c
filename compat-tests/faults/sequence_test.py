# SPDX-License-Identifier: Apache-2.0
"""The sequence numbers of a directory are used up."""
import pytest

from support.proxy import Proxy

# Equally long, so that the lengths in the frames stay right. After the last number a server counts from the lowest.
GIVEN, WRAPPED = b"-lock-0000000000", b"-lock--999999999"


class WrappedNumbers(Proxy):
    """Shows the first node of each directory under a number from behind the wrap."""

    def pieces(self, link, data, to_server):
        yield data.replace(WRAPPED, GIVEN) if to_server else data.replace(GIVEN, WRAPPED)


@pytest.fixture
def wrapped_numbers(zookeeper):
    proxy = WrappedNumbers(zookeeper.port)
    yield proxy
    proxy.remove()


@pytest.mark.parametrize("verb", [("acquire",), ("acquire_for", 10000), ("acquire_for", 0)])
def test_no_lock_is_granted_by_an_order_that_means_nothing(c_peer, wrapped_numbers, admin, path, verb):
    """kazoo#606, go-zk#65, ZOOKEEPER-4706."""
    mutex = c_peer.client(wrapped_numbers.connect_string).mutex(path)
    call = mutex.call(*verb, expect="CURATOR_ERROR")
    assert "used up" in call.error and "delete the empty directory" in call.error and WRAPPED.decode() in call.error
    admin.wait_for_children(path, 0)
    mutex.acquire()  # the next number is an ordinary one
    mutex.release()
