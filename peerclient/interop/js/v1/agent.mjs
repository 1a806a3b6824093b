// An agent on the official JavaScript SDK, 1.0 and its 0.3 compatibility, that
// knows the texts of the interop walks. It prints its URL on a line of its own.
import { randomUUID } from 'node:crypto';
import { createServer } from 'node:http';
import express from 'express';
import grpc from '@grpc/grpc-js';
import { Role, TaskState } from '@a2a-js/sdk';
import { AgentEvent, DefaultRequestHandler, InMemoryTaskStore, InMemoryPushNotificationStore, DefaultPushNotificationSender } from '@a2a-js/sdk/server';
import { agentCardHandler, jsonRpcHandler, restHandler, UserBuilder } from '@a2a-js/sdk/server/express';
import { A2AService, grpcService, UserBuilder as CallUser } from '@a2a-js/sdk/server/grpc';
import { LegacyA2AService, legacyGrpcService } from '@a2a-js/sdk/compat/v0_3/server/grpc';

const pace = Number(process.env.PACE_MS ?? 200);
const text = (value) => ({ content: { $case: 'text', value }, metadata: undefined, filename: '', mediaType: '' });
const data = (value) => ({ content: { $case: 'data', value }, metadata: undefined, filename: '', mediaType: '' });
const sleep = (ms) => new Promise((done) => setTimeout(done, ms));
const canceled = new Set();
const waiting = new Map(); // context by task, of those that asked
const S = TaskState;

class Turn {
  constructor(taskId, contextId, bus) {
    Object.assign(this, { taskId, contextId, bus });
  }
  message(words, taskId = this.taskId) {
    return { messageId: randomUUID(), contextId: this.contextId, taskId, role: Role.ROLE_AGENT, parts: [text(words)], metadata: undefined, extensions: [], referenceTaskIds: [] };
  }
  status(state, words) {
    const status = { state, message: this.message(words), timestamp: new Date().toISOString() };
    this.bus.publish(AgentEvent.statusUpdate({ taskId: this.taskId, contextId: this.contextId, status, metadata: undefined }));
  }
  artifact(artifactId, parts, append, lastChunk) {
    const artifact = { artifactId, name: '', description: '', parts, metadata: undefined, extensions: [] };
    this.bus.publish(AgentEvent.artifactUpdate({ taskId: this.taskId, contextId: this.contextId, artifact, append, lastChunk, metadata: undefined }));
  }
}

class Agent {
  async execute(request, bus) {
    const { taskId, contextId, userMessage, task } = request;
    const turn = new Turn(taskId, contextId, bus);
    const said = userMessage.parts.map((p) => (p.content?.$case === 'text' ? p.content.value : `[${p.content?.$case}]`)).join('');
    const [verb, ...words] = said.split(' ');
    const rest = words.join(' ');
    if (!task && verb === 'echo') {
      bus.publish(AgentEvent.message(turn.message(rest, '')));
      bus.finished();
      return;
    }
    bus.publish(AgentEvent.task(task ?? {
      id: taskId, contextId, status: { state: S.TASK_STATE_SUBMITTED, message: undefined, timestamp: new Date().toISOString() },
      artifacts: [], history: [userMessage], metadata: undefined,
    }));
    waiting.delete(taskId);
    if (task) this.answered(turn, said);
    else await this.work(turn, verb, rest);
    bus.finished();
  }

  answered(turn, said) {
    turn.status(S.TASK_STATE_WORKING, 'resumed');
    turn.artifact('answer', [text(`the answer was: ${said}`)], false, true);
    turn.status(S.TASK_STATE_COMPLETED, 'done after the answer');
  }

  async work(turn, verb, rest) {
    if (verb === 'reject') return turn.status(S.TASK_STATE_REJECTED, 'not doing that');
    turn.status(S.TASK_STATE_WORKING, verb);
    switch (verb) {
      case 'ask':
        waiting.set(turn.taskId, turn.contextId);
        return turn.status(S.TASK_STATE_INPUT_REQUIRED, 'What is your name?');
      case 'fail': return turn.status(S.TASK_STATE_FAILED, 'it broke');
      case 'hang':
        while (!canceled.has(turn.taskId)) await sleep(5);
        return turn.status(S.TASK_STATE_CANCELED, 'canceled on request');
      case 'slow': return this.slow(turn, Number(rest));
    }
    turn.artifact('result', [text(`result: ${rest}`), data({ input: rest, n: 1 })], false, true);
    turn.status(S.TASK_STATE_COMPLETED, 'done');
  }

  async slow(turn, n) {
    for (let i = 1; i <= n; i++) {
      await sleep(pace);
      if (canceled.has(turn.taskId)) return turn.status(S.TASK_STATE_CANCELED, 'canceled on request');
      turn.artifact('slow', [text(`chunk ${i}/${n} `)], i > 1, i === n);
    }
    turn.status(S.TASK_STATE_COMPLETED, 'slow done');
  }

  // A task that works says canceled by itself; one that waits has nobody to say it.
  async cancelTask(taskId, bus) {
    canceled.add(taskId);
    if (!waiting.has(taskId)) return;
    new Turn(taskId, waiting.get(taskId), bus).status(S.TASK_STATE_CANCELED, 'canceled on request');
    bus.finished();
  }
}

// One handler behind every binding; gRPC has a port of its own.
function serve(server, rpc, rpcPort) {
  const url = `http://127.0.0.1:${server.address().port}`;
  const at = (where, protocolBinding, protocolVersion) => ({ url: where, protocolBinding, tenant: '', protocolVersion });
  const both = (where, binding) => [at(where, binding, '1.0'), at(where, binding, '0.3')];
  const card = {
    name: 'JavaScript SDK', description: 'an agent on the official JavaScript SDK', version: '1.0.0',
    supportedInterfaces: [...both(`${url}/rpc`, 'JSONRPC'), ...both(`${url}/rest`, 'HTTP+JSON'), ...both(`127.0.0.1:${rpcPort}`, 'GRPC')],
    provider: undefined, capabilities: { streaming: true, pushNotifications: true, extendedAgentCard: true, extensions: [] },
    securitySchemes: {}, securityRequirements: [], defaultInputModes: ['text/plain', 'application/json'], defaultOutputModes: ['text/plain', 'application/json'],
    skills: [{ id: 'texts', name: 'texts', description: 'echo, task, slow, ask, fail, reject, hang', tags: ['test'], examples: [], inputModes: [], outputModes: [], securityRequirements: [] }],
    signatures: [],
  };
  const hooks = new InMemoryPushNotificationStore();
  const requestHandler = new DefaultRequestHandler(card, new InMemoryTaskStore(), new Agent(), undefined, hooks, new DefaultPushNotificationSender(hooks), card);
  const options = { requestHandler, userBuilder: UserBuilder.noAuthentication, legacyCompat: { enabled: true } };
  app.use('/.well-known/agent-card.json', agentCardHandler({ agentCardProvider: requestHandler, legacyCompat: { enabled: true } }));
  app.use('/rpc', jsonRpcHandler(options));
  app.use('/rest', restHandler(options));
  rpc.addService(A2AService, grpcService({ requestHandler, userBuilder: CallUser.noAuthentication }));
  rpc.addService(LegacyA2AService, legacyGrpcService({ requestHandler, userBuilder: CallUser.noAuthentication }));
  console.log(url);
}

const app = express();
const rpc = new grpc.Server();
const server = createServer(app).listen(0, '127.0.0.1', () => {
  rpc.bindAsync('127.0.0.1:0', grpc.ServerCredentials.createInsecure(), (err, port) => {
    if (err) throw err;
    serve(server, rpc, port);
  });
});
process.stdin.on('end', () => process.exit(0)).resume();
