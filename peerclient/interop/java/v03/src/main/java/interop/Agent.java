package interop;

import io.a2a.server.agentexecution.AgentExecutor;
import io.a2a.server.agentexecution.RequestContext;
import io.a2a.server.events.EventQueue;
import io.a2a.server.tasks.TaskUpdater;
import io.a2a.spec.DataPart;
import io.a2a.spec.Message;
import io.a2a.spec.Part;
import io.a2a.spec.Task;
import io.a2a.spec.TaskState;
import io.a2a.spec.TaskStatus;
import io.a2a.spec.TextPart;
import jakarta.enterprise.context.ApplicationScoped;
import java.util.List;
import java.util.Map;
import java.util.UUID;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.stream.Collectors;

/** Knows the texts of the interop walks. */
@ApplicationScoped
public class Agent implements AgentExecutor {
    private static final long PACE = Long.parseLong(System.getenv().getOrDefault("PACE_MS", "200"));

    private final Map<String, CountDownLatch> canceled = new ConcurrentHashMap<>();

    private CountDownLatch stop(String task) {
        return canceled.computeIfAbsent(task, id -> new CountDownLatch(1));
    }

    /** Sleeps, unless the task is canceled first. */
    private boolean sleep(String task, long millis) {
        try {
            return !stop(task).await(millis, TimeUnit.MILLISECONDS);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            return false;
        }
    }

    @Override
    public void execute(RequestContext context, EventQueue queue) {
        String said = text(context.getMessage());
        int blank = said.indexOf(' ');
        String verb = blank < 0 ? said : said.substring(0, blank);
        String rest = blank < 0 ? "" : said.substring(blank + 1);
        if (context.getTask() == null && verb.equals("echo")) {
            queue.enqueueEvent(new Message.Builder().role(Message.Role.AGENT).messageId(UUID.randomUUID().toString())
                    .contextId(context.getContextId()).parts(List.of(new TextPart(rest))).build());
            return;
        }
        Turn turn = new Turn(new TaskUpdater(context, queue));
        if (context.getTask() != null) {
            turn.status(TaskState.WORKING, "resumed", false);
            turn.artifact("answer", List.of(new TextPart("the answer was: " + said)), false, true);
            turn.status(TaskState.COMPLETED, "done after the answer", true);
            return;
        }
        queue.enqueueEvent(new Task.Builder().id(context.getTaskId()).contextId(context.getContextId())
                .status(new TaskStatus(TaskState.SUBMITTED)).history(context.getMessage()).build());
        if (verb.equals("reject")) {
            turn.status(TaskState.REJECTED, "not doing that", true);
            return;
        }
        turn.status(TaskState.WORKING, verb, false);
        work(turn, verb, rest);
    }

    private void work(Turn turn, String verb, String rest) {
        switch (verb) {
            case "ask" -> turn.status(TaskState.INPUT_REQUIRED, "What is your name?", true);
            case "fail" -> turn.status(TaskState.FAILED, "it broke", true);
            case "hang" -> sleep(turn.task(), TimeUnit.HOURS.toMillis(1));
            case "slow" -> slow(turn, Integer.parseInt(rest.strip()));
            default -> {
                turn.artifact("result", List.of(new TextPart("result: " + rest), new DataPart(Map.of("input", rest, "n", 1))), false, true);
                turn.status(TaskState.COMPLETED, "done", true);
            }
        }
    }

    private void slow(Turn turn, int n) {
        for (int i = 1; i <= n; i++) {
            if (!sleep(turn.task(), PACE)) {
                return;
            }
            turn.artifact("slow", List.of(new TextPart("chunk " + i + "/" + n + " ")), i > 1, i == n);
        }
        turn.status(TaskState.COMPLETED, "slow done", true);
    }

    @Override
    public void cancel(RequestContext context, EventQueue queue) {
        // Said first: when execute has returned, the SDK takes the task's stream
        // off the queue, and what is said then never reaches it.
        new Turn(new TaskUpdater(context, queue)).status(TaskState.CANCELED, "canceled on request", true);
        stop(context.getTaskId()).countDown();
    }

    private static String text(Message message) {
        return message.getParts().stream()
                .map(p -> p instanceof TextPart t ? t.getText() : "[" + p.getKind().asString() + "]")
                .collect(Collectors.joining());
    }

    /** What one call says of its task. */
    private record Turn(TaskUpdater updater) {
        String task() {
            return updater.getTaskId();
        }

        void status(TaskState state, String words, boolean end) {
            updater.updateStatus(state, updater.newAgentMessage(List.of(new TextPart(words)), null), end);
        }

        void artifact(String id, List<Part<?>> parts, boolean append, boolean last) {
            updater.addArtifact(parts, id, null, null, append, last);
        }
    }
}
