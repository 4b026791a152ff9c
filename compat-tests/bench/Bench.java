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
    private static final int CONNECT_MS = 60_000;

    private final String connectString;
    private final CuratorFramework client;
    private final InterProcessMutex mutex;
    private long[] samples = {};
    private Contention contention;
    private InterProcessMutex[] mutexes;

    private Bench(String connectString, String path) throws InterruptedException {
        this.connectString = connectString;
        client = open(connectString);
        awaitConnected(client);
        mutex = new InterProcessMutex(client, path);
    }

    static CuratorFramework open(String connectString) {
        CuratorFramework client =
            CuratorFrameworkFactory.newClient(connectString, new ExponentialBackoffRetry(1000, 3));
        client.start();
        return client;
    }

    static void awaitConnected(CuratorFramework client) throws InterruptedException {
        if (!client.blockUntilConnected(CONNECT_MS, TimeUnit.MILLISECONDS)) {
            throw new IllegalStateException("no connection");
        }
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

    private void acquireAll() throws Exception {
        for (InterProcessMutex one : mutexes) {
            one.acquire();
        }
    }

    private void destroyAll() throws Exception {
        for (InterProcessMutex one : mutexes) {
            if (one.isOwnedByCurrentThread()) {
                one.release();
            }
        }
        mutexes = null;
    }

    private static long heapBytes() throws InterruptedException {
        Runtime runtime = Runtime.getRuntime();
        for (int i = 0; i < 3; i++) {
            System.gc();
            Thread.sleep(100);
        }
        return runtime.totalMemory() - runtime.freeMemory();
    }

    private String answer(String verb, String first, String second, String third) throws Exception {
        switch (verb) {
            case "cycles":
                runCycles(Integer.parseInt(first));
                return "";
            case "samples":
                return Arrays.stream(samples).mapToObj(Long::toString).collect(Collectors.joining(" "));
            case "reenter":
                return Long.toString(reenter(Integer.parseInt(first)));
            case "contend":
            case "locks":
                contention = new Contention(
                    third != null ? third : connectString, first, Integer.parseInt(second), verb.equals("locks"));
                return "";
            case "start":
                contention.start(Integer.parseInt(first), Long.parseLong(second));
                return "";
            case "mark":
                return contention.mark();
            case "handoffs":
                return contention.handoffs();
            case "stop":
                contention.stop();
                return "";
            case "queue":
                contention.queue(Integer.parseInt(first), Long.parseLong(second));
                return "";
            case "go":
                contention.go();
                return "";
            case "close":
                contention.close();
                return "";
            case "mutexes":
                mutexes = new InterProcessMutex[Integer.parseInt(second)];
                for (int i = 0; i < mutexes.length; i++) {
                    mutexes[i] = new InterProcessMutex(client, first + "/" + i);
                }
                return "";
            case "heap":
                return Long.toString(heapBytes());
            case "acquire_all":
                acquireAll();
                return "";
            case "destroy_all":
                destroyAll();
                return "";
            default:
                throw new IllegalArgumentException("no verb " + verb);
        }
    }

    public static void main(String[] arguments) throws Exception {
        Bench bench = new Bench(arguments[0], arguments[1]);
        if (arguments.length == 3) {
            bench.mutex.acquire();
        }
        System.out.println("ready " + System.nanoTime());
        BufferedReader in = new BufferedReader(new InputStreamReader(System.in, StandardCharsets.US_ASCII));
        String line;
        while ((line = in.readLine()) != null) {
            String[] words = Arrays.copyOf(line.split(" "), 4);
            System.out.println(bench.answer(words[0], words[1], words[2], words[3]) + " ok");
        }
        bench.client.close();
        System.exit(0); // also with members that have not been stopped
    }
}
