"""The small parts of ids: names, forges, owner records, rewriting."""

import os
import subprocess
import sys
import threading

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from adlc.errors import AdlcError
from adlc.ids import kinds, owner
from adlc.ids.forge import forge
from adlc.ids.guard import Guard
from adlc.ids.rewrite import Rewriter


@pytest.mark.parametrize("url, name", [
    ("https://dev.azure.com/org/project/_git/repo", "azure-devops"), ("https://ada@dev.azure.com/org/p/_git/r", "azure-devops"),
    ("git@ssh.dev.azure.com:v3/org/project/repo", "azure-devops"), ("ssh://git@ssh.dev.azure.com/v3/o/p/r", "azure-devops"),
    ("https://org.visualstudio.com/project/_git/repo", "azure-devops"), ("org@vs-ssh.visualstudio.com:v3/org/p/r", "azure-devops"),
    ("git@github.com:o/r.git", "github"), ("https://GitHub.com/o/r", "github"), ("https://gitlab.com/o/r", "gitlab"), ("git@bitbucket.org:o/r", "bitbucket"),
    ("https://git.example.org:8443/r", "git.example.org:8443"), ("https://notgithub.com/o/r", "notgithub.com"), ("https://github.com.evil.example/r", "github.com.evil.example"),
    ("ssh://[::1]:22/r", "[::1]:22"), ("https://user:p%40ss@example.org/r", "example.org"),
    ("/srv/git/r.git", "local"), ("../r.git", "local"), ("file:///srv/r.git", "local"), ("C:/repos/r", "local"), ("", "local"),
])
def test_a_remote_is_called_by_its_forge(url, name):
    """HC-34, HC-35"""
    assert forge(url) == name


@pytest.mark.parametrize("name, number", [
    ("REQ-042-login", 42), ("REQ-042", 42), ("req-7-x", 7), ("REQ-08", 8), ("REQ-999999-x", 999999), ("REQ-1000000", 1000000), ("REQ-" + "9" * 5000, 1000000),
    ("REQ-" + "0" * 50 + "5-x", 5), ("REQ-", None), ("REQ-x", None), ("XREQ-5", None), ("REQ", None), ("REQ-٣٣٣", None), ("", None), ("REQ--5", None),
])
def test_the_number_in_the_name_of_an_artifact(name, number):
    """HC-03, HC-24, HC-29"""
    assert kinds.KINDS["req"].of_artifact(name) == number


@pytest.mark.parametrize("text", ["REQ-42", "REQ-1234567", "REQ-000", "REQ-04²", "req-042", "REQ-042 ", "REQ-042\n", "Req-042", "-042", "REQ", ""])
def test_what_is_no_id(text):
    with pytest.raises(AdlcError):
        kinds.parse(text)


@given(st.integers(1, 999_999))
def test_an_id_can_always_be_cited_and_read_back(number):
    """HC-49"""
    for kind in kinds.KINDS.values():
        assert kinds.parse(kind.id(number)) == (kind, number) and kind.of_artifact(kind.id(number)) == number
        assert kind.in_text(f"feat/{kind.id(number).lower()}-x") == [number]


def test_an_owner_record_is_whole_or_nothing():
    me = owner.this_process()
    record = me.record()
    assert owner.read(record).record() == record
    for cut in range(len(record)):
        assert owner.read(record[:cut]) is None
    assert owner.read(record + b"x") is None and owner.read(record.replace(b"pid=", b"pid=-")) is None


@settings(max_examples=200)
@given(st.binary(max_size=300))
def test_no_record_stops_the_reader(data):
    owner.read(data)


def test_this_process_is_alive_and_a_finished_one_is_dead():
    me = owner.this_process()
    assert owner.state(me, me) == owner.ALIVE
    code = f"import sys; sys.path[:] = {sys.path!r}\nfrom adlc.ids import owner\nsys.stdout.buffer.write(owner.this_process().record())"
    other = owner.read(subprocess.run([sys.executable, "-c", code], stdout=subprocess.PIPE, check=True).stdout)
    assert owner.state(other, me) == owner.DEAD


def test_what_macos_tells_about_processes_is_understood(monkeypatch, tmp_path):
    """Its ps and sysctl, as stubs with the real output; Linux has /proc instead."""
    (tmp_path / "ps").write_text("#!/bin/sh\nfor pid; do :; done\n[ $pid = 99 ] && exit 1\n[ $pid = 98 ] && { echo 'Z    Mon Nov 30 10:00:00 2026'; exit; }\necho 'Ss   Mon Nov 30 10:00:01 2026    '\n")
    (tmp_path / "sysctl").write_text("#!/bin/sh\n[ $2 = kern.bootsessionuuid ] && echo 5E5F\n")
    for name in ("ps", "sysctl"):
        (tmp_path / name).chmod(0o755)
    monkeypatch.setenv("PATH", f"{tmp_path}:{os.environ['PATH']}")
    monkeypatch.setattr(sys, "platform", "darwin")
    me = owner.this_process()
    assert (me.namespace, me.boot, me.start) == ("darwin", "5E5F", "Mon Nov 30 10:00:01 2026")
    assert owner.state(me, me) == owner.ALIVE
    earlier = owner.read(me.record().replace(b"10:00:01", b"09:00:00"))
    assert owner.state(earlier, me) == owner.DEAD


def test_the_guard_serves_in_the_order_of_arrival(tmp_path):
    """In threads too, where no signal can end the wait."""
    def guard(name):
        return Guard(str(tmp_path / "guard"), str(tmp_path / name))

    first, served = guard("first"), []
    assert first.wait(0) and first.held
    impatient = guard("impatient")
    assert not impatient.wait(0.05) and not impatient.held

    def queue(waiter, name):
        assert not waiter.wait(0)
        lined_up.set()
        assert waiter.wait(60) and waiter.held
        served.append(name)
        waiter.release()

    threads = []
    for name in "abcd":
        lined_up = threading.Event()
        threads.append(threading.Thread(target=queue, args=(guard(name), name)))
        threads[-1].start()
        lined_up.wait()
    first.release()
    impatient.release()
    for thread in threads:
        thread.join()
    assert served == list("abcd")
    assert sorted(os.listdir(tmp_path)) == ["guard", "guard.tail"]


def test_a_ticket_of_a_dead_process_holds_nobody_up(tmp_path):
    code = (
        f"import sys; sys.path[:] = {sys.path!r}\nfrom adlc.ids.guard import Guard\n"
        f"Guard({str(tmp_path / 'guard')!r}, {str(tmp_path / 'dead')!r}).wait(0); import os; os.kill(os.getpid(), 9)"
    )
    subprocess.run([sys.executable, "-c", code], check=False)
    living = Guard(str(tmp_path / "guard"), str(tmp_path / "living"))
    assert living.wait(0) and living.held


@given(st.binary(max_size=200), st.binary(max_size=200), st.sampled_from([b"", b" ", b"\n", b"\xe9", b"("]), st.sampled_from([b"", b" ", b".", b"\r\n", b"\xff"]))
def test_rewriting_touches_nothing_but_the_mention(before, after, left, right):
    """HC-54, HC-59"""
    old = b"REQ-120"
    if b"120" in before + after or b"\0" in before + after or before[:2] in (b"\xff\xfe", b"\xfe\xff"):
        return
    data = before + b"|" + left + old + right + b"|" + after
    changed, count = Rewriter("REQ-120", "REQ-7").data(data)
    assert count == 1 and changed == before + b"|" + left + b"REQ-7" + right + b"|" + after
