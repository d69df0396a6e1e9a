"""Rows 15 and 16: awaits, loops and tasks."""

import pytest

from tests.kernel.matrix.case import BOTH, ON, case, fails, matrix, reads

pytestmark = pytest.mark.kernel

LOOPS = [
    case(
        "a top-level await",
        reads("import asyncio\nawait asyncio.sleep(0.01, 'slept')", "str 'slept'"),
        ON,
        how=BOTH,
        is_chosen=True,
    ),
    case(
        "an async for and with",
        reads(
            """
        import asyncio, contextlib
        async def numbers():
            for i in range(3):
                await asyncio.sleep(0); yield i
        @contextlib.asynccontextmanager
        async def within(): yield 'in'
        async with within() as where:
            async for i in numbers(): print(where, i)
        """,
            "in 0\nin 1\nin 2",
        ),
        ON,
        how=BOTH,
    ),
    case(
        "an await that fails",
        fails("import asyncio\nawait asyncio.wait_for(asyncio.sleep(9), 0.01)", None, "TimeoutError"),
        ON,
        how=BOTH,
        is_chosen=True,
    ),
    case(
        "an await of nothing awaitable",
        fails("await 5", None, "TypeError: object int can't be used in 'await' expression"),
        ON,
        how=BOTH,
    ),
    case(
        "asyncio.run",
        reads(
            """
        import asyncio
        async def main(): return 'ran'
        try: print(asyncio.run(main()))
        except RuntimeError as error: print(error)
        """,
            None,
            "asyncio.run() cannot be called from a running event loop",
        ),
        ON,
        is_chosen=True,
    ),
    case(
        "run_until_complete",
        reads(
            """
        import asyncio
        async def main(): return 'ran'
        coroutine = main()
        try: print(asyncio.get_event_loop().run_until_complete(coroutine))
        except RuntimeError as error: print(error); coroutine.close()
        """,
            None,
            "This event loop is already running",
        ),
        ON,
    ),
    case(
        "asyncio.run in a thread",
        reads(
            """
        import asyncio
        async def main(): await asyncio.sleep(0.01); return 'ran'
        await asyncio.to_thread(asyncio.run, main())
        """,
            "str 'ran'",
        ),
        ON,
        how=BOTH,
    ),
    case(
        "a task gathered",
        reads(
            "import asyncio\nawait asyncio.gather(*(asyncio.sleep(0.01, i) for i in range(3)))", "[0, 1, 2]"
        ),
        ON,
        how=BOTH,
        is_chosen=True,
    ),
    case(
        "a task left running",
        reads(
            "import asyncio\ntask = asyncio.get_event_loop().create_task(asyncio.sleep(0.05, 'kept')); print('begun')",
            "begun",
        ),
        reads("await task", "str 'kept'"),
        ON,
    ),
    case(
        "a task that fails unseen",
        reads(
            """
        import asyncio, gc
        async def bad(): raise ValueError('unseen')
        task = asyncio.ensure_future(bad())
        await asyncio.sleep(0.01); del task; r = gc.collect(); await asyncio.sleep(0.01)
        print('on')
        """,
            None,
            "on",
        ),
        ON,
    ),
    case(
        "a coroutine never awaited",
        reads("import gc\nasync def f(): pass\nf()\nr = gc.collect(); print('on')", None, "on"),
        ON,
    ),
    case(
        "the kernel's loop stopped",
        reads(
            "import asyncio\nasyncio.get_event_loop().stop(); print('asked')",
            "asked\n[The stop of the kernel's event loop was ignored; it would end the kernel.]",
        ),
        ON,
        is_chosen=True,
    ),
    case(
        "the kernel's loop closed",
        fails(
            "import asyncio\nasyncio.get_event_loop().close()",
            None,
            "RuntimeError: Cannot close a running event loop",
        ),
        ON,
        is_chosen=True,
    ),
    case(
        "another loop set",
        reads(
            "import asyncio\nbefore = asyncio.get_event_loop(); other = asyncio.new_event_loop(); asyncio.set_event_loop(other); print('set')",
            "set",
        ),
        ON,
        after="import asyncio; asyncio.set_event_loop(before); other.close()",
    ),
    case(
        "another policy set",
        reads(
            "import asyncio\nbefore = asyncio.get_event_loop_policy(); asyncio.set_event_loop_policy(asyncio.DefaultEventLoopPolicy()); print('set')",
            "set",
        ),
        ON,
        after="import asyncio; asyncio.set_event_loop_policy(before)",
    ),
    case(
        "the current task cancelled",
        fails("import asyncio\nr = asyncio.current_task().cancel()\nprint('asked')"),
        ON,
    ),
    case(
        "the loop blocked",
        reads(
            "import asyncio, time\nasync def f(): time.sleep(0.3); return 'blocked'\nawait f()",
            "str 'blocked'",
        ),
        ON,
    ),
    case(
        "a callback that fails",
        reads(
            "import asyncio\nh = asyncio.get_event_loop().call_soon(lambda: 1/0)\nawait asyncio.sleep(0.01); print('on')",
            None,
            "on",
        ),
        ON,
    ),
    case(
        "an async generator left open",
        reads(
            """
        async def numbers():
            try:
                for i in range(9): yield i
            finally: print('closed')
        g = numbers()
        await g.__anext__()
        """,
            "0",
        ),
        ON,
        after="await g.aclose()",
    ),
    case("autoawait off", reads("%autoawait off\nprint('off')", None, "off"), ON, after="%autoawait asyncio"),
    case(
        "nest_asyncio by hand",
        reads(
            "import asyncio.events as e\nkept = e._get_running_loop(); e._set_running_loop(None)\nimport asyncio\nasync def f(): return 3\nprint(asyncio.new_event_loop().run_until_complete(f()))\ne._set_running_loop(kept)",
            None,
            "3",
        ),
        ON,
        after="import gc; gc.collect()",
    ),
    case(
        "a subprocess of asyncio",
        reads(
            """
        import asyncio
        p = await asyncio.create_subprocess_exec('echo', 'async', stdout=asyncio.subprocess.PIPE)
        (await p.communicate())[0]
        """,
            None,
            "b'async\\n'",
        ),
        ON,
        after="globals().pop('p', None); import gc; gc.collect()",
    ),
    case(
        "a queue between threads",
        reads(
            """
        import asyncio, threading
        loop, queue = asyncio.get_running_loop(), asyncio.Queue()
        t = threading.Thread(target=lambda: [loop.call_soon_threadsafe(queue.put_nowait, i) for i in range(3)]); t.start()
        print([await queue.get() for _ in range(3)]); t.join()
        """,
            "[0, 1, 2]",
        ),
        ON,
        how=BOTH,
    ),
]


@matrix(LOOPS)
def test_awaits_work_and_loops_survive(check, case, how):
    check(case, how)


CANCELLED = {
    "all tasks of the loop": "for t in asyncio.all_tasks(): t.cancel()",
    "all tasks but its own": "for t in asyncio.all_tasks() - {asyncio.current_task()}: t.cancel()\nawait asyncio.sleep(1)",
}


@pytest.mark.parametrize("how", BOTH)
@pytest.mark.parametrize("code", CANCELLED.values(), ids=CANCELLED.keys())
def test_code_that_cancels_the_persons_cell_ends_it_and_no_more(shared, code, how):
    kernel = shared.get()
    kernel.new_session()
    execution, said = kernel.run_calls(f"import asyncio\n{code}\nprint('asked')", how=how)
    assert execution.errors == ["CancelledError: "]
    told = "run_code failed: NoKernelError: The cell was cancelled while this ran."
    assert [(one.text, one.is_error) for one in said] == [(told, True)]
    kernel.check_health(how)
