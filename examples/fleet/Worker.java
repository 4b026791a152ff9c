/* SPDX-License-Identifier: Apache-2.0 */

import java.io.IOException;
import java.nio.file.FileAlreadyExistsException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.concurrent.ThreadLocalRandom;
import java.util.concurrent.TimeUnit;
import org.apache.curator.framework.CuratorFramework;
import org.apache.curator.framework.CuratorFrameworkFactory;
import org.apache.curator.framework.recipes.locks.InterProcessMutex;
import org.apache.curator.retry.ExponentialBackoffRetry;
import org.apache.zookeeper.KeeperException;

/**
 * The Java member of the fleet, on the real Curator. Same arguments, same lines on stdin and stdout as worker.c:
 * "ready" once connected, starts at a line on stdin, stops when stdin ends, and says, in nanoseconds of the
 * monotonic clock: waiting|acquired|released|collided thread time.
 */
public final class Worker {
    private static final int THREADS = 2;
    private static final int SESSION_TIMEOUT_MS = 10_000;
    private static final int CONNECTION_TIMEOUT_MS = 15_000;
    private static final int ACQUIRE_TIMEOUT_MS = 30_000;

    private final String name;
    private final Path resource;
    private final InterProcessMutex mutex; // null: without the lock
    private volatile boolean stopping;
    private volatile boolean failed;

    private Worker(String name, Path resource, InterProcessMutex mutex) {
        this.name = name;
        this.resource = resource;
        this.mutex = mutex;
    }

    private static void say(int thread, String event) {
        System.out.println(event + " " + thread + " " + System.nanoTime());
    }

    /** The file exists while somebody uses the resource; nobody can create it a second time, in whichever process. */
    private void useResource(int thread) throws IOException, InterruptedException {
        boolean created = false;
        try {
            Files.createFile(resource);
            created = true;
        } catch (FileAlreadyExistsException e) {
            say(thread, "collided");
        }
        TimeUnit.MICROSECONDS.sleep(ThreadLocalRandom.current().nextLong(1_000, 10_001));
        if (created) {
            Files.delete(resource);
        }
    }

    private void takeATurn(int thread) throws Exception {
        say(thread, "waiting");
        if (mutex != null && !mutex.acquire(ACQUIRE_TIMEOUT_MS, TimeUnit.MILLISECONDS)) {
            throw new IOException("the lock was not free within " + ACQUIRE_TIMEOUT_MS + " ms");
        }
        try {
            say(thread, "acquired");
            if (!stopping) {
                useResource(thread);
            }
            say(thread, "released");
        } finally {
            if (mutex != null) {
                mutex.release();
            }
        }
    }

    private void runMember(int thread) {
        try {
            while (!stopping) {
                takeATurn(thread);
            }
        } catch (Exception e) {
            System.err.println(name + ", thread " + thread + ": " + e);
            failed = true;
            say(thread, "failed");
        }
    }

    private void runMembers() throws IOException, InterruptedException {
        Thread[] members = new Thread[THREADS];
        for (int i = 0; i < THREADS; i++) {
            int number = i + 1;
            members[i] = new Thread(() -> runMember(number));
            members[i].start();
        }
        while (System.in.read() >= 0) {
            // goes on until stdin ends
        }
        stopping = true;
        for (Thread member : members) {
            member.join();
        }
    }

    private static boolean readLineFromStdin() throws IOException {
        int character = System.in.read();
        while (character >= 0 && character != '\n') {
            character = System.in.read();
        }
        return character >= 0;
    }

    /** Succeeds in the process that leaves last. Before, the path is not empty; without it, the server would do it. */
    private static void removeLockPath(CuratorFramework client, String path) throws Exception {
        try {
            client.delete().forPath(path);
        } catch (KeeperException.NotEmptyException | KeeperException.NoNodeException e) {
            // somebody else is still there, or was faster
        }
    }

    public static void main(String[] arguments) throws Exception {
        String path = arguments[1];
        String name = arguments[3];
        boolean withLock = arguments.length < 5 || !arguments[4].equals("--without-lock");
        boolean failed = true;
        try (CuratorFramework client = CuratorFrameworkFactory.newClient(
                arguments[0], SESSION_TIMEOUT_MS, CONNECTION_TIMEOUT_MS, new ExponentialBackoffRetry(1000, 3))) {
            client.start();
            if (client.blockUntilConnected(CONNECTION_TIMEOUT_MS, TimeUnit.MILLISECONDS)) {
                InterProcessMutex mutex = withLock ? new InterProcessMutex(client, path) : null;
                Worker worker = new Worker(name, Path.of(arguments[2]), mutex);
                System.out.println("ready");
                if (readLineFromStdin()) {
                    worker.runMembers();
                }
                removeLockPath(client, path);
                failed = worker.failed;
            } else {
                System.err.println(name + ": no connection to " + arguments[0] + " within 15 s");
            }
        }
        System.exit(failed ? 1 : 0);
    }
}
