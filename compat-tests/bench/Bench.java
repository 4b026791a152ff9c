// SPDX-License-Identifier: Apache-2.0
import java.io.BufferedReader;
import java.io.InputStreamReader;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import java.util.concurrent.TimeUnit;
import java.util.stream.Collectors;
import org.apache.curator.framework.CuratorFramework;
import org.apache.curator.framework.CuratorFrameworkFactory;
import org.apache.curator.framework.recipes.locks.InterProcessMutex;
import org.apache.curator.retry.ExponentialBackoffRetry;

/** The contender of the benchmark that is the real Curator; speaks the lines of bench.c. */
public final class Bench {
    private static final int CONNECT_MS = 20_000;

    private final InterProcessMutex mutex;
    private long[] samples = {};

    private Bench(InterProcessMutex mutex) {
        this.mutex = mutex;
    }

    private void runCycles(int count) throws Exception {
        samples = new long[count];
        long began = System.nanoTime();
        for (int i = 0; i < count; i++) {
            mutex.acquire();
            mutex.release();
            long ended = System.nanoTime();
            samples[i] = ended - began;
            began = ended;
        }
    }

    private long reenter(int count) throws Exception {
        mutex.acquire();
        long began = System.nanoTime();
        for (int i = 0; i < count; i++) {
            mutex.acquire();
        }
        long taken = System.nanoTime() - began;
        for (int i = 0; i <= count; i++) {
            mutex.release();
        }
        return taken;
    }

    private String answer(String[] words) throws Exception {
        switch (words[0]) {
            case "cycles":
                runCycles(Integer.parseInt(words[1]));
                return "ok";
            case "samples":
                return Arrays.stream(samples).mapToObj(Long::toString).collect(Collectors.joining(" "));
            case "reenter":
                return Long.toString(reenter(Integer.parseInt(words[1])));
            case "hold":
                mutex.acquire();
                return "ok";
            default:
                throw new IllegalArgumentException("no verb " + words[0]);
        }
    }

    public static void main(String[] arguments) throws Exception {
        CuratorFramework client =
            CuratorFrameworkFactory.newClient(arguments[0], new ExponentialBackoffRetry(1000, 3));
        client.start();
        if (!client.blockUntilConnected(CONNECT_MS, TimeUnit.MILLISECONDS)) {
            throw new IllegalStateException("no connection to " + arguments[0]);
        }
        Bench bench = new Bench(new InterProcessMutex(client, arguments[1]));
        System.out.println("ready");
        BufferedReader in = new BufferedReader(new InputStreamReader(System.in, StandardCharsets.US_ASCII));
        String line;
        while ((line = in.readLine()) != null) {
            System.out.println(bench.answer(line.split(" ")));
        }
        client.close();
    }
}
