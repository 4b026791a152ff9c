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
    private Crowd crowd;
    private InterProcessMutex[] stock;

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

    private void fillStock() throws Exception {
        for (InterProcessMutex one : stock) {
            one.acquire();
        }
    }

    private void clearStock() throws Exception {
        for (InterProcessMutex one : stock) {
            if (one.isOwnedByCurrentThread()) {
                one.release();
            }
        }
        stock = null;
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
            case "crowd":
            case "locks":
                crowd = new Crowd(
                    third != null ? third : connectString, first, Integer.parseInt(second), verb.equals("locks"));
                return "";
            case "start":
                crowd.start(Integer.parseInt(first), Long.parseLong(second));
                return "";
            case "mark":
                return crowd.mark();
            case "handoffs":
                return crowd.handoffs();
            case "stop":
                crowd.stop();
                return "";
            case "queue":
                crowd.queue(Integer.parseInt(first), Long.parseLong(second));
                return "";
            case "go":
                crowd.go();
                return "";
            case "disband":
                crowd.disband();
                return "";
            case "stock":
                stock = new InterProcessMutex[Integer.parseInt(second)];
                for (int i = 0; i < stock.length; i++) {
                    stock[i] = new InterProcessMutex(client, first + "/" + i);
                }
                return "";
            case "heap":
                return Long.toString(heapBytes());
            case "fill":
                fillStock();
                return "";
            case "clear":
                clearStock();
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
