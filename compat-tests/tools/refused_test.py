# SPDX-License-Identifier: Apache-2.0
"""No server, no permission, no lock path, data that would control a terminal: the same for each command."""
import json

import pytest
from kazoo.security import make_digest_acl

from tools.conftest import Started

COMMANDS = [["hold"], ["list"], ["list", "--watch"], ["test"], ["revoke", "--holder"], ["revoke", "--all"]]
NODE = "_c_4ec1a5f5-5ab7-44de-a7fc-4b2a0ed4bcd1-lock-0000000000"


@pytest.mark.parametrize("words", COMMANDS)
@pytest.mark.parametrize("servers", ["127.0.0.1:1", "no-such-host.invalid:2181"])
def test_without_a_server_it_says_so(words, servers):
    command, *rest = words
    status, output, errors = Started([command, "-z", servers, "--connection-timeout", "500ms", *rest, "/x/y"]).end()
    assert (status, output, errors.count("\n")) == (69, "", 1)
    assert errors.startswith("curator-lock: ") and servers.partition(":")[0] in errors


@pytest.mark.parametrize("words", COMMANDS)
@pytest.mark.parametrize("path", ["x", "/a//b", "/a/", "/"])
def test_a_path_that_is_none_is_told_without_a_server(words, path):
    status, output, errors = Started([*words, path], environment={"CURATOR_SERVERS": "127.0.0.1:1"}).end()
    assert (status, output, errors.count("\n")) == (64, "", 1), errors
    assert errors.startswith("curator-lock: ") and path in errors


@pytest.mark.parametrize("words", COMMANDS)
def test_who_may_not_is_refused_and_who_may_is_not(run_lock, new_admin, zookeeper, tmp_path, path, words):
    owner = new_admin(zookeeper.connect_string, auth=("digest", "shop:secret"))
    owner.create(path, acl=[make_digest_acl("shop", "secret", all=True)])
    status, output, errors = run_lock(*words, path)
    assert (status, output, errors.count("\n")) == (77, "", 1), errors
    assert errors.startswith("curator-lock: ") and path in errors
    assert owner.children(path) == []
    if "--watch" in words:
        return  # it would go on
    file = tmp_path / "auth"
    file.write_text("digest:shop:secret\n")
    file.chmod(0o600)
    command, *rest = words
    status, _, errors = run_lock(command, "--auth-file", file, *rest, path, stdin=-1)
    assert (status, errors) == ((1, f"curator-lock: nobody holds {path}\n") if command == "revoke" else (0, ""))


def test_the_holder_of_a_node_that_may_not_be_written_to_is_not_asked(run_lock, new_admin, zookeeper, path):
    owner = new_admin(zookeeper.connect_string, auth=("digest", "shop:secret"))
    owner.create(path)
    owner.zk.create(f"{path}/{NODE}", b"host", ephemeral=True, acl=[make_digest_acl("shop", "secret", all=True)])
    for words in ["--holder", path], [f"{path}/{NODE}"]:
        status, output, errors = run_lock("revoke", *words)
        assert (status, output, errors.count("\n")) == (77, "", 1) and NODE in errors
    (only,) = json.loads(run_lock("list", "--format=json", path)[1])
    assert (only["state"], only["data"]) == ("holds", None)
    assert owner.data(f"{path}/{NODE}") == b"host"


def test_what_others_have_written_does_not_control_a_terminal(run_lock, admin, path):
    """Also not by the control characters of 8 bits, in UTF-8 and bare, and by marks that turn the direction."""
    admin.create(path)
    admin.zk.create(f"{path}/{NODE}", b"a\xc2\x9b31mb\x9bc\x1b[31md\xe2\x80\xaee\x7f\xc3\xa9", ephemeral=True)
    for words in ["test", "-v", path], ["revoke", "-v", "--holder", path]:
        assert "a?31mb?c?[31md?e?\u00e9\n" in run_lock(*words)[2]
    admin.zk.set(f"{path}/{NODE}", b"a\xc2\x9b31mb\x9bc\x1b[31md\xe2\x80\xaee\x7f\xc3\xa9")
    assert "a?31mb?c?[31md?e?\u00e9 " in run_lock("list", path)[1]
    output = run_lock("list", "--format=json", path)[1]
    assert "\\u009b31m" in output and "\\u202e" in output
    assert json.loads(output)[0]["data"] == "a\x9b31mb\ufffdc\x1b[31md\u202ee\x7f\u00e9"
