"""An agent on the official Python SDK, 1.0 and its 0.3 compatibility, that knows
the texts of the interop walks. It prints its URL on a line of its own."""

import asyncio
import os
import socket
import sys
import threading

import grpc
import httpx
import uvicorn
from starlette.applications import Starlette

from a2a.compat.v0_3 import a2a_v0_3_pb2_grpc
from a2a.compat.v0_3.grpc_handler import CompatGrpcHandler
from a2a.helpers.proto_helpers import new_data_part, new_task_from_user_message, new_text_part
from a2a.server.agent_execution import AgentExecutor
from a2a.server.request_handlers import DefaultRequestHandler, GrpcHandler
from a2a.server.routes import create_agent_card_routes, create_jsonrpc_routes, create_rest_routes
from a2a.server.tasks import BasePushNotificationSender, InMemoryPushNotificationConfigStore, InMemoryTaskStore, TaskUpdater
from a2a.types import a2a_pb2_grpc
from a2a.types.a2a_pb2 import AgentCapabilities, AgentCard, AgentInterface, AgentSkill, Message, Role, TaskState

PACE = int(os.environ.get("PACE_MS", "200")) / 1000
MODES = ["text/plain", "application/json"]


def text_of(message):
    return "".join(p.text if p.WhichOneof("content") == "text" else f"[{p.WhichOneof('content')}]" for p in message.parts)


class Agent(AgentExecutor):
    async def execute(self, context, event_queue):
        said = text_of(context.message)
        verb, _, rest = said.partition(" ")
        if not context.current_task and verb == "echo":
            await event_queue.enqueue_event(
                Message(role=Role.ROLE_AGENT, message_id=os.urandom(8).hex(), context_id=context.context_id, parts=[new_text_part(rest)])
            )
            return
        turn = TaskUpdater(event_queue, context.task_id, context.context_id)

        async def status(state, words):
            await turn.update_status(state, turn.new_agent_message([new_text_part(words)]))

        if context.current_task:
            await status(TaskState.TASK_STATE_WORKING, "resumed")
            await turn.add_artifact([new_text_part("the answer was: " + said)], artifact_id="answer")
            await status(TaskState.TASK_STATE_COMPLETED, "done after the answer")
            return
        task = new_task_from_user_message(context.message)
        task.id, task.context_id = context.task_id, context.context_id
        await event_queue.enqueue_event(task)
        if verb == "reject":
            await status(TaskState.TASK_STATE_REJECTED, "not doing that")
            return
        await status(TaskState.TASK_STATE_WORKING, verb)
        await self.work(turn, status, verb, rest)

    async def work(self, turn, status, verb, rest):
        if verb == "ask":
            await status(TaskState.TASK_STATE_INPUT_REQUIRED, "What is your name?")
        elif verb == "fail":
            await status(TaskState.TASK_STATE_FAILED, "it broke")
        elif verb == "hang":
            await asyncio.sleep(3600)
        elif verb == "slow":
            n = int(rest)
            for i in range(1, n + 1):
                await asyncio.sleep(PACE)
                await turn.add_artifact([new_text_part(f"chunk {i}/{n} ")], artifact_id="slow", append=i > 1, last_chunk=i == n)
            await status(TaskState.TASK_STATE_COMPLETED, "slow done")
        else:
            await turn.add_artifact([new_text_part("result: " + rest), new_data_part({"input": rest, "n": 1})], artifact_id="result")
            await status(TaskState.TASK_STATE_COMPLETED, "done")

    async def cancel(self, context, event_queue):
        turn = TaskUpdater(event_queue, context.task_id, context.context_id)
        await turn.cancel(turn.new_agent_message([new_text_part("canceled on request")]))


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
        agent_card=card,
        push_config_store=hooks,
        push_sender=BasePushNotificationSender(httpx.AsyncClient(), hooks),
        extended_agent_card=card,
    )
    a2a_pb2_grpc.add_A2AServiceServicer_to_server(GrpcHandler(handler), rpc)
    a2a_v0_3_pb2_grpc.add_A2AServiceServicer_to_server(CompatGrpcHandler(handler), rpc)
    await rpc.start()
    routes = (
        create_agent_card_routes(card)
        + create_jsonrpc_routes(handler, "/rpc", enable_v0_3_compat=True)
        + create_rest_routes(handler, enable_v0_3_compat=True, path_prefix="/rest")
    )
    print(url, flush=True)
    await uvicorn.Server(uvicorn.Config(Starlette(routes=routes), log_level="warning")).serve(sockets=[listener])


def card_of(url, rpc_url):
    places = [(url + "/rpc", "JSONRPC"), (url + "/rest", "HTTP+JSON"), (rpc_url, "GRPC")]
    return AgentCard(
        name="Python SDK",
        description="an agent on the official Python SDK",
        version="1.0.0",
        supported_interfaces=[
            AgentInterface(url=where, protocol_binding=binding, protocol_version=version) for version in ("1.0", "0.3") for where, binding in places
        ],
        capabilities=AgentCapabilities(streaming=True, push_notifications=True, extended_agent_card=True),
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
