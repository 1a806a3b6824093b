// An agent on the official JavaScript SDK of 0.3 that knows the texts of the
// interop walks. It prints its URL on a line of its own.
import { randomUUID } from 'node:crypto';
import { createServer } from 'node:http';
import express from 'express';
import grpc from '@grpc/grpc-js';
import { DefaultRequestHandler, InMemoryTaskStore, InMemoryPushNotificationStore, DefaultPushNotificationSender } from '@a2a-js/sdk/server';
import { agentCardHandler, jsonRpcHandler, restHandler, UserBuilder } from '@a2a-js/sdk/server/express';
import { A2AService, grpcService, UserBuilder as CallUser } from '@a2a-js/sdk/server/grpc';

const pace = Number(process.env.PACE_MS ?? 200);
const text = (value) => ({ kind: 'text', text: value });
const data = (value) => ({ kind: 'data', data: value });
const sleep = (ms) => new Promise((done) => setTimeout(done, ms));
const canceled = new Set();
const waiting = new Map(); // context by task, of those that asked
const over = ['completed', 'failed', 'canceled', 'rejected', 'input-required'];

class Turn {
  constructor(taskId, contextId, bus) {
    Object.assign(this, { taskId, contextId, bus });
  }
  message(words, taskId = this.taskId) {
    return { kind: 'message', messageId: randomUUID(), contextId: this.contextId, taskId, role: 'agent', parts: [text(words)] };
  }
  status(state, words) {
    const status = { state, message: this.message(words), timestamp: new Date().toISOString() };
    this.bus.publish({ kind: 'status-update', taskId: this.taskId, contextId: this.contextId, status, final: over.includes(state) });
  }
  artifact(artifactId, parts, append, lastChunk) {
    const artifact = { artifactId, parts };
    this.bus.publish({ kind: 'artifact-update', taskId: this.taskId, contextId: this.contextId, artifact, append, lastChunk });
  }
}

class Agent {
  async execute(request, bus) {
    const { taskId, contextId, userMessage, task } = request;
    const turn = new Turn(taskId, contextId, bus);
    const said = userMessage.parts.map((p) => (p.kind === 'text' ? p.text : `[${p.kind}]`)).join('');
    const [verb, ...words] = said.split(' ');
    const rest = words.join(' ');
    if (!task && verb === 'echo') {
      bus.publish(turn.message(rest, undefined));
      bus.finished();
      return;
    }
    if (!task) bus.publish({ kind: 'task', id: taskId, contextId, status: { state: 'submitted', timestamp: new Date().toISOString() }, artifacts: [], history: [userMessage] });
    waiting.delete(taskId);
    if (task) this.answered(turn, said);
    else await this.work(turn, verb, rest);
    bus.finished();
  }

  answered(turn, said) {
    turn.status('working', 'resumed');
    turn.artifact('answer', [text(`the answer was: ${said}`)], false, true);
    turn.status('completed', 'done after the answer');
  }

  async work(turn, verb, rest) {
    if (verb === 'reject') return turn.status('rejected', 'not doing that');
    turn.status('working', verb);
    switch (verb) {
      case 'ask':
        waiting.set(turn.taskId, turn.contextId);
        return turn.status('input-required', 'What is your name?');
      case 'fail': return turn.status('failed', 'it broke');
      case 'hang':
        while (!canceled.has(turn.taskId)) await sleep(5);
        return turn.status('canceled', 'canceled on request');
      case 'slow': return this.slow(turn, Number(rest));
    }
    turn.artifact('result', [text(`result: ${rest}`), data({ input: rest, n: 1 })], false, true);
    turn.status('completed', 'done');
  }

  async slow(turn, n) {
    for (let i = 1; i <= n; i++) {
      await sleep(pace);
      if (canceled.has(turn.taskId)) return turn.status('canceled', 'canceled on request');
      turn.artifact('slow', [text(`chunk ${i}/${n} `)], i > 1, i === n);
    }
    turn.status('completed', 'slow done');
  }

  // A task that works says canceled by itself; one that waits has nobody to say it.
  async cancelTask(taskId, bus) {
    canceled.add(taskId);
    if (!waiting.has(taskId)) return;
    new Turn(taskId, waiting.get(taskId), bus).status('canceled', 'canceled on request');
    bus.finished();
  }
}

// One handler behind every binding; gRPC has a port of its own.
function serve(server, rpc, rpcPort) {
  const url = `http://127.0.0.1:${server.address().port}`;
  const card = {
    name: 'JavaScript SDK', description: 'an agent on the official JavaScript SDK of 0.3', version: '1.0.0', protocolVersion: '0.3.0',
    url: `${url}/rpc`, preferredTransport: 'JSONRPC',
    additionalInterfaces: [{ url: `${url}/rpc`, transport: 'JSONRPC' }, { url: `${url}/rest`, transport: 'HTTP+JSON' }, { url: `127.0.0.1:${rpcPort}`, transport: 'GRPC' }],
    capabilities: { streaming: true, pushNotifications: true }, supportsAuthenticatedExtendedCard: true,
    defaultInputModes: ['text/plain', 'application/json'], defaultOutputModes: ['text/plain', 'application/json'],
    skills: [{ id: 'texts', name: 'texts', description: 'echo, task, slow, ask, fail, reject, hang', tags: ['test'] }],
  };
  const hooks = new InMemoryPushNotificationStore();
  const requestHandler = new DefaultRequestHandler(card, new InMemoryTaskStore(), new Agent(), undefined, hooks, new DefaultPushNotificationSender(hooks), card);
  const options = { requestHandler, userBuilder: UserBuilder.noAuthentication };
  app.use('/.well-known/agent-card.json', agentCardHandler({ agentCardProvider: requestHandler }));
  app.use('/rpc', jsonRpcHandler(options));
  app.use('/rest', restHandler(options));
  rpc.addService(A2AService, grpcService({ requestHandler, userBuilder: CallUser.noAuthentication }));
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
