package interop;

import io.grpc.netty.NettyServerBuilder;
import io.quarkus.runtime.Quarkus;
import io.quarkus.runtime.QuarkusApplication;
import io.quarkus.runtime.annotations.QuarkusMain;
import jakarta.enterprise.inject.Instance;
import jakarta.inject.Inject;
import java.io.IOException;
import java.io.OutputStream;
import java.net.InetSocketAddress;
import java.net.ServerSocket;

/**
 * An agent on the official Java SDK of 0.3: its JSON-RPC and HTTP+JSON on one
 * port, its gRPC on another. It prints its URL on a line of its own, and ends
 * with whoever started it.
 */
@QuarkusMain
public class Main implements QuarkusApplication {
    @Inject
    Instance<Calls> calls;

    public static void main(String... args) throws IOException {
        System.setProperty("quarkus.http.port", free());
        System.setProperty("interop.rpc.port", free());
        // The SDK looks for a transport in the class path; this one is Calls.
        System.setProperty("io.a2a.transport.grpc.skipValidation", "true");
        Quarkus.run(Main.class, args);
    }

    /** A port that nobody has: the card must name both before either is open. */
    private static String free() throws IOException {
        try (ServerSocket s = new ServerSocket()) {
            s.bind(new InetSocketAddress("127.0.0.1", 0));
            return Integer.toString(s.getLocalPort());
        }
    }

    static String url() {
        return "http://127.0.0.1:" + System.getProperty("quarkus.http.port");
    }

    static String rpc() {
        return "127.0.0.1:" + System.getProperty("interop.rpc.port");
    }

    @Override
    public int run(String... args) throws Exception {
        NettyServerBuilder
                .forAddress(new InetSocketAddress("127.0.0.1", Integer.getInteger("interop.rpc.port")))
                .addService(calls.get()).build().start();
        System.out.println(url());
        System.in.transferTo(OutputStream.nullOutputStream());
        Runtime.getRuntime().halt(0); // a shutdown would wait for the tasks that hang
        return 0;
    }
}
