"""Channels: what is sent arrives whole and in order, and an end that is closed is noticed."""

from __future__ import annotations

import multiprocessing
import socket
import subprocess
import sys
import threading
from pathlib import Path

import pytest

from nqueens_cp.channel import Channel, pipe, ready


def test_what_is_sent_arrives_in_order_both_ways():
    left, right = pipe()
    with left, right:
        things = [None, (1, 2), {"a": [b"x" * 10]}, "\u2655", b""]
        for thing in things:
            left.send(thing)
        right.send("back")
        assert [right.recv() for _ in things] == things
        assert left.recv() == "back"


def test_what_is_larger_than_the_pipe():
    left, right = pipe()
    large = bytes(range(256)) * 20_000
    with left, right:
        sender = threading.Thread(target=left.send, args=(large,))
        sender.start()
        assert right.recv() == large
        sender.join()


def test_ready_tells_which_one():
    pipes = [pipe() for _ in range(3)]
    receiving = [right for _, right in pipes]
    assert ready(receiving, 0) == []
    pipes[1][0].send(1)
    assert ready(receiving, 5) == [receiving[1]]
    pipes[2][0].close()
    assert set(ready(receiving, 5)) == {receiving[1], receiving[2]}
    for left, right in pipes:
        left.close()
        right.close()


def test_a_closed_end():
    left, right = pipe()
    left.send(1)
    left.close()
    left.close()
    assert right.recv() == 1
    with pytest.raises(EOFError):
        right.recv()
    with pytest.raises(OSError):  # noqa: PT011 which one depends on the system
        right.send(2)
    with pytest.raises(OSError):  # noqa: PT011
        left.send(3)


def test_an_end_that_is_closed_with_something_unread():
    left, right = pipe()
    right.send("unread")
    left.close()
    with pytest.raises(EOFError):
        right.recv()


def test_the_default_timeout_of_sockets_is_not_for_them():
    before = socket.getdefaulttimeout()
    socket.setdefaulttimeout(0.01)
    try:
        left, right = pipe()
    finally:
        socket.setdefaulttimeout(before)
    threading.Timer(0.1, left.send, ("late",)).start()
    assert right.recv() == "late"


def echo(channel: Channel) -> None:
    with channel:
        channel.send(channel.recv() + 1)


def give_to_a_process(method: str) -> None:
    left, right = pipe()
    process = multiprocessing.get_context(method).Process(target=echo, args=(right,))
    process.start()
    right.close()
    left.send(41)
    print(left.recv())
    process.join()


@pytest.mark.parametrize("method", multiprocessing.get_all_start_methods())
def test_a_channel_can_be_given_to_a_process(method):
    program = (
        f"from test_channel import give_to_a_process; give_to_a_process({method!r})"  # a module that children find
    )
    ended = subprocess.run(
        [sys.executable, "-c", program],
        capture_output=True,
        text=True,
        cwd=Path(__file__).parent,
        check=False,
        timeout=60,
    )
    assert (ended.stdout, ended.stderr, ended.returncode) == ("42\n", "", 0)
