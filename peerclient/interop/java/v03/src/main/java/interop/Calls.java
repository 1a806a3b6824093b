package interop;

import io.a2a.server.PublicAgentCard;
import io.a2a.server.requesthandlers.RequestHandler;
import io.a2a.server.util.async.Internal;
import io.a2a.spec.AgentCard;
import io.a2a.transport.grpc.handler.CallContextFactory;
import io.a2a.transport.grpc.handler.GrpcHandler;
import jakarta.enterprise.context.Dependent;
import jakarta.inject.Inject;
import java.util.concurrent.Executor;

/** The SDK's service of gRPC with the beans of this application. */
@Dependent
public class Calls extends GrpcHandler {
    @Inject
    @PublicAgentCard
    AgentCard card;

    @Inject
    RequestHandler handler;

    @Inject
    @Internal
    Executor executor;

    @Override
    protected RequestHandler getRequestHandler() {
        return handler;
    }

    @Override
    protected AgentCard getAgentCard() {
        return card;
    }

    @Override
    protected CallContextFactory getCallContextFactory() {
        return null;
    }

    @Override
    protected Executor getExecutor() {
        return executor;
    }
}
