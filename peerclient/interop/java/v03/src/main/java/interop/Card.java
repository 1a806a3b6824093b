package interop;

import io.a2a.server.ExtendedAgentCard;
import io.a2a.server.PublicAgentCard;
import io.a2a.spec.AgentCapabilities;
import io.a2a.spec.AgentCard;
import io.a2a.spec.AgentInterface;
import io.a2a.spec.AgentSkill;
import jakarta.enterprise.context.ApplicationScoped;
import jakarta.enterprise.inject.Produces;
import java.util.List;

/** The card, in its two roles. The ports are known when the first is asked for. */
@ApplicationScoped
public class Card {
    @Produces
    @PublicAgentCard
    public AgentCard open() {
        return build();
    }

    @Produces
    @ExtendedAgentCard
    public AgentCard extended() {
        return build();
    }

    private static AgentCard build() {
        List<String> modes = List.of("text/plain", "application/json");
        return new AgentCard.Builder()
                .name("Java SDK").description("an agent on the official Java SDK of 0.3").version("1.0.0").protocolVersion("0.3.0")
                .url(Main.url()).preferredTransport("JSONRPC")
                .additionalInterfaces(List.of(new AgentInterface("JSONRPC", Main.url()), new AgentInterface("HTTP+JSON", Main.url()), new AgentInterface("GRPC", Main.rpc())))
                .capabilities(new AgentCapabilities.Builder().streaming(true).pushNotifications(true).build())
                .supportsAuthenticatedExtendedCard(true)
                .defaultInputModes(modes).defaultOutputModes(modes)
                .skills(List.of(new AgentSkill.Builder().id("texts").name("texts").description("echo, task, slow, ask, fail, reject, hang").tags(List.of("test")).build()))
                .build();
    }
}
