// SPDX-License-Identifier: Apache-2.0
import java.io.BufferedReader;
import java.io.FileOutputStream;
import java.io.IOException;
import java.io.InputStreamReader;
import java.lang.reflect.Method;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Random;
import java.util.concurrent.TimeUnit;
import org.apache.curator.framework.CuratorFramework;
import org.apache.curator.framework.CuratorFrameworkFactory;
import org.apache.curator.framework.recipes.locks.InterProcessMutex;
import org.apache.curator.framework.recipes.locks.InterProcessReadWriteLock;
import org.apache.curator.framework.state.ConnectionState;
import org.apache.curator.retry.BoundedExponentialBackoffRetry;
import org.apache.zookeeper.ZooKeeper;

/** A Java process of the soak, with the real Curator; writes the lines of contender.c. */
public final class SoakContender {
    private static volatile boolean stopping;
    private static volatile long keepUntil = System.nanoTime(); // holders were told to hold on until then
    private static FileOutputStream history;
    private static Method getLockPath;

    private final int index;
    private final Random random;
    private final InterProcessMutex own;
    private final InterProcessMutex shared;
    private final InterProcessReadWriteLock lock;

    private SoakContender(CuratorFramework client, InterProcessMutex shared, String[] arguments, int index) {
        this.index = index;
        this.random = new Random(Long.parseLong(arguments[5]) * 31 + index);
        this.own = new InterProcessMutex(client, arguments[1]);
        this.shared = shared;
        this.lock = new InterProcessReadWriteLock(client, arguments[2]);
    }

    private static void write(String what, Object details) {
        String line = String.format(Locale.ROOT, "%s %.3f %s%n", what, System.nanoTime() / 1e6, details);
        try {
            history.write(line.getBytes(StandardCharsets.US_ASCII)); // one write
        } catch (IOException e) {
            throw new AssertionError(e);
        }
    }

    private static void sleep(long milliseconds) {
        try {
            Thread.sleep(milliseconds);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt(); // told to stop
        }
    }

    private void turn() {
        int lot = random.nextInt(10);
        InterProcessMutex mutex = lot < 4 ? own : lot < 6 ? shared : lot < 8 ? lock.readLock() : lock.writeLock();
        String kind = lot < 6 ? "mutex" : lot < 8 ? "read" : "write";
        String name = (lot < 4 ? "own" : lot < 6 ? "shared" : kind) + index;
        int when = random.nextInt(10);
        int limit = when < 3 ? -1 : 10 + random.nextInt(when < 6 ? 100 : 3000);
        write("want", index + " " + kind + " " + name + " " + limit);
        try {
            if (limit < 0) {
                mutex.acquire();
            } else if (!mutex.acquire(limit, TimeUnit.MILLISECONDS)) {
                write("refused", index + " TIMED_OUT");
                return;
            }
        } catch (Exception e) {
            write("refused", index + " " + e.getClass().getSimpleName());
            return;
        }
        holdAndRelease(mutex, kind, name);
    }

    private void holdAndRelease(InterProcessMutex mutex, String kind, String name) {
        String result = "OK";
        try {
            write("enter", index + " " + kind + " " + name + " " + getLockPath.invoke(mutex) + " -");
            boolean again = random.nextInt(4) == 0;
            if (again) {
                mutex.acquire();
            }
            sleep(random.nextInt(8) == 0 ? 100 + random.nextInt(1000) : random.nextInt(8));
            while (System.nanoTime() < keepUntil && !stopping) {
                sleep(1);
            }
            write("leave", index);
            if (again) {
                mutex.release();
            }
            mutex.release();
        } catch (Exception e) {
            result = e.getClass().getSimpleName();
        }
        write("left", index + " " + result);
    }

    private void run() {
        while (!stopping) {
            turn();
            sleep(random.nextInt(30));
        }
    }

    private static void told(CuratorFramework client, ConnectionState state) {
        write("state", state);
        if (state.isConnected()) {
            try {
                ZooKeeper zooKeeper = client.getZookeeperClient().getZooKeeper();
                StringBuilder password = new StringBuilder();
                for (byte part : zooKeeper.getSessionPasswd()) {
                    password.append(String.format("%02x", part));
                }
                write("session", Long.toHexString(zooKeeper.getSessionId()) + " " + password);
            } catch (Exception e) {
                write("session", "- -"); // gone again
            }
        }
    }

    private static void watchForPauses() {
        double before = System.nanoTime() / 1e6;
        while (true) {
            sleep(20);
            double now = System.nanoTime() / 1e6;
            if (now - before > 320) {
                write("paused", String.format(Locale.ROOT, "%.3f", before));
            }
            before = now;
        }
    }

    public static void main(String[] arguments) throws Exception {
        history = new FileOutputStream(arguments[4], true);
        getLockPath = InterProcessMutex.class.getDeclaredMethod("getLockPath");
        getLockPath.setAccessible(true);
        write("hello", ProcessHandle.current().pid());
        Thread watcher = new Thread(SoakContender::watchForPauses);
        watcher.setDaemon(true);
        watcher.start();
        CuratorFramework client = CuratorFrameworkFactory.builder().connectString(arguments[0])
            .sessionTimeoutMs(Integer.parseInt(arguments[7])).connectionTimeoutMs(3000)
            .retryPolicy(new BoundedExponentialBackoffRetry(100, 1000, 5))
            .defaultData(arguments[3].getBytes(StandardCharsets.US_ASCII)).build();
        client.getConnectionStateListenable().addListener(SoakContender::told);
        client.start();
        InterProcessMutex shared = new InterProcessMutex(client, arguments[1]);
        List<Thread> threads = new ArrayList<>();
        for (int i = 0; i < Integer.parseInt(arguments[6]); i++) {
            threads.add(new Thread(new SoakContender(client, shared, arguments, i)::run));
            threads.get(i).start();
        }
        BufferedReader in = new BufferedReader(new InputStreamReader(System.in, StandardCharsets.US_ASCII));
        for (String line = in.readLine(); line != null && line.startsWith("keep "); line = in.readLine()) {
            keepUntil = System.nanoTime() + TimeUnit.MILLISECONDS.toNanos(Integer.parseInt(line.substring(5)));
        }
        stopping = true;
        for (Thread thread : threads) {
            thread.join(5000);
            while (thread.isAlive()) {
                thread.interrupt();
                thread.join(200);
            }
        }
        write("idle", 0);
        in.readLine();
        client.close();
        write("closed", "OK");
        System.exit(0);
    }
}
