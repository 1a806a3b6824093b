"""An agent on the official Python SDK of 0.3 that knows the texts of the interop
walks. It prints its URL on a line of its own."""

import asyncio
import os
import socket
import sys
import threading

import grpc
import httpx
import uvicorn
from fastapi import FastAPI

from a2a.grpc import a2a_pb2_grpc
from a2a.server.agent_execution import AgentExecutor
from a2a.server.apps import A2ARESTFastAPIApplication, A2AStarletteApplication
from a2a.server.request_handlers import DefaultRequestHandler, GrpcHandler
from a2a.server.tasks import BasePushNotificationSender, InMemoryPushNotificationConfigStore, InMemoryTaskStore, TaskUpdater
from a2a.types import AgentCapabilities, AgentCard, AgentInterface, AgentSkill, DataPart, Message, Part, Role, TaskState, TextPart
from a2a.utils import new_task

PACE = int(os.environ.get("PACE_MS", "200")) / 1000
MODES = ["text/plain", "application/json"]


def text(words):
    return Part(root=TextPart(text=words))


def text_of(message):
    return "".join(p.root.text if p.root.kind == "text" else f"[{p.root.kind}]" for p in message.parts)


class Agent(AgentExecutor):
    def __init__(self):
        self.canceled = {}

    def stop(self, task_id):
        return self.canceled.setdefault(task_id, asyncio.Event())

    async def wait(self, task_id, seconds):
        """Sleeps, unless the task is canceled first."""
        try:
            await asyncio.wait_for(self.stop(task_id).wait(), seconds)
        except asyncio.TimeoutError:
            return True
        return False

    async def execute(self, context, event_queue):
        said = text_of(context.message)
        verb, _, rest = said.partition(" ")
        if not context.current_task and verb == "echo":
            await event_queue.enqueue_event(Message(role=Role.agent, message_id=os.urandom(8).hex(), context_id=context.context_id, parts=[text(rest)]))
            return
        turn = TaskUpdater(event_queue, context.task_id, context.context_id)

        async def status(state, words, final=False):
            await turn.update_status(state, turn.new_agent_message([text(words)]), final=final)

        if context.current_task:
            await status(TaskState.working, "resumed")
            await turn.add_artifact([text("the answer was: " + said)], artifact_id="answer")
            await status(TaskState.completed, "done after the answer", final=True)
            return
        task = new_task(context.message)
        task.id, task.context_id = context.task_id, context.context_id
        await event_queue.enqueue_event(task)
        if verb == "reject":
            await status(TaskState.rejected, "not doing that", final=True)
            return
        await status(TaskState.working, verb)
        await self.work(turn, status, verb, rest)

    async def work(self, turn, status, verb, rest):
        if verb == "ask":
            await status(TaskState.input_required, "What is your name?", final=True)
        elif verb == "fail":
            await status(TaskState.failed, "it broke", final=True)
        elif verb == "hang":
            await self.wait(turn.task_id, 3600)
        elif verb == "slow":
            n = int(rest)
            for i in range(1, n + 1):
                if not await self.wait(turn.task_id, PACE):
                    return
                await turn.add_artifact([text(f"chunk {i}/{n} ")], artifact_id="slow", append=i > 1, last_chunk=i == n)
            await status(TaskState.completed, "slow done", final=True)
        else:
            await turn.add_artifact([text("result: " + rest), Part(root=DataPart(data={"input": rest, "n": 1}))], artifact_id="result")
            await status(TaskState.completed, "done", final=True)

    async def cancel(self, context, event_queue):
        self.stop(context.task_id).set()
        turn = TaskUpdater(event_queue, context.task_id, context.context_id)
        await turn.cancel(turn.new_agent_message([text("canceled on request")]))


def leave():
    """Ends with whoever started it."""
    sys.stdin.read()
    os._exit(0)


async def serve(listener):
    """One handler behind every binding; gRPC has a port of its own."""
    rpc = grpc.aio.server()
    url = f"http://127.0.0.1:{listener.getsockname()[1]}"
    rpc_url = f"127.0.0.1:{rpc.add_insecure_port('127.0.0.1:0')}"
    card = card_of(url, rpc_url)
    hooks = InMemoryPushNotificationConfigStore()
    handler = DefaultRequestHandler(
        agent_executor=Agent(),
        task_store=InMemoryTaskStore(),
        push_config_store=hooks,
        push_sender=BasePushNotificationSender(httpx.AsyncClient(), hooks),
    )
    a2a_pb2_grpc.add_A2AServiceServicer_to_server(GrpcHandler(card, handler), rpc)
    await rpc.start()
    app = FastAPI()
    app.mount("/rest", A2ARESTFastAPIApplication(agent_card=card, http_handler=handler, extended_agent_card=card).build())
    app.mount("/", A2AStarletteApplication(agent_card=card, http_handler=handler, extended_agent_card=card).build())
    print(url, flush=True)
    await uvicorn.Server(uvicorn.Config(app, log_level="warning")).serve(sockets=[listener])


def card_of(url, rpc_url):
    return AgentCard(
        name="Python SDK",
        description="an agent on the official Python SDK of 0.3",
        version="1.0.0",
        protocol_version="0.3.0",
        url=url + "/",
        preferred_transport="JSONRPC",
        additional_interfaces=[
            AgentInterface(url=url + "/", transport="JSONRPC"),
            AgentInterface(url=url + "/rest", transport="HTTP+JSON"),
            AgentInterface(url=rpc_url, transport="GRPC"),
        ],
        capabilities=AgentCapabilities(streaming=True, push_notifications=True),
        supports_authenticated_extended_card=True,
        default_input_modes=MODES,
        default_output_modes=MODES,
        skills=[AgentSkill(id="texts", name="texts", description="echo, task, slow, ask, fail, reject, hang", tags=["test"])],
    )


def main():
    threading.Thread(target=leave, daemon=True).start()
    listener = socket.socket()
    listener.bind(("127.0.0.1", 0))
    listener.listen(128)
    asyncio.run(serve(listener))


main()
