// SPDX-License-Identifier: Apache-2.0
import java.util.Arrays;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.TimeUnit;
import java.util.stream.Collectors;
import org.apache.curator.framework.CuratorFramework;
import org.apache.curator.framework.recipes.locks.InterProcessMutex;

/** Many contenders in one process, a thread each; does what contention.c does. */
final class Contention {
    private static final int CONNECTING_AT_ONCE = 20;
    private static final int CLOSING_AT_ONCE = 50;
    private static final int CLOSING_SECONDS = 120;
    private static final int MAX_HANDOFFS = 1 << 18;

    private final boolean oneSession;
    private final CuratorFramework[] clients;
    private final InterProcessMutex[] mutexes;
    private Thread[] threads = {};
    private long holdMicros;
    private boolean once;

    // All below is guarded by this.
    private boolean gateOpen = true;
    private boolean stopping;
    private long acquires;
    private boolean[] hadIt;
    private long releasedAt;
    private final long[] handoffs = new long[MAX_HANDOFFS];
    private int handoffCount;

    Contention(String connectString, String path, int members, boolean oneSession) throws InterruptedException {
        this.oneSession = oneSession;
        clients = new CuratorFramework[oneSession ? 1 : members];
        for (int first = 0; first < clients.length; first += CONNECTING_AT_ONCE) {
            int end = Math.min(first + CONNECTING_AT_ONCE, clients.length);
            for (int i = first; i < end; i++) {
                clients[i] = Bench.open(connectString);
            }
            for (int i = first; i < end; i++) {
                Bench.awaitConnected(clients[i]);
            }
        }
        mutexes = new InterProcessMutex[members];
        for (int i = 0; i < members; i++) {
            mutexes[i] = new InterProcessMutex(clients[oneSession ? 0 : i], oneSession ? path + "/" + i : path);
        }
    }

    private synchronized void noteAcquired(int member) throws InterruptedException {
        long now = System.nanoTime();
        acquires++;
        hadIt[member] = true;
        if (!oneSession && releasedAt != 0 && handoffCount < MAX_HANDOFFS) {
            handoffs[handoffCount++] = now - releasedAt;
        }
        while (!gateOpen) {
            wait();
        }
    }

    private synchronized void noteReleasing() {
        releasedAt = System.nanoTime();
    }

    private synchronized boolean shallGoOn() {
        return !stopping;
    }

    private void takePart(int member) {
        try {
            do {
                mutexes[member].acquire();
                noteAcquired(member);
                if (holdMicros > 0 && shallGoOn()) {
                    TimeUnit.MICROSECONDS.sleep(holdMicros);
                }
                if (!oneSession) {
                    noteReleasing();
                }
                mutexes[member].release();
            } while (!once && shallGoOn());
        } catch (Exception problem) {
            problem.printStackTrace();
            System.exit(1);
        }
    }

    private void startMembers(int members, long holdMicros) {
        synchronized (this) {
            acquires = 0;
            hadIt = new boolean[members];
            handoffCount = 0;
            releasedAt = once ? System.nanoTime() : 0;
            stopping = false;
        }
        this.holdMicros = holdMicros;
        threads = new Thread[members];
        for (int i = 0; i < members; i++) {
            int member = i;
            threads[i] = new Thread(() -> takePart(member), "member-" + i);
            threads[i].start();
        }
    }

    void start(int members, long holdMicros) {
        once = false;
        startMembers(members, holdMicros);
    }

    void queue(int members, long holdMicros) {
        once = true;
        synchronized (this) {
            gateOpen = false;
        }
        startMembers(members, holdMicros);
    }

    void go() throws InterruptedException {
        synchronized (this) {
            gateOpen = true;
            notifyAll();
        }
        awaitMembers();
    }

    synchronized String mark() {
        int members = 0;
        for (boolean one : hadIt) {
            members += one ? 1 : 0;
        }
        handoffCount = 0;
        return acquires + " " + System.nanoTime() + " " + members;
    }

    synchronized String handoffs() {
        return Arrays.stream(handoffs, 0, handoffCount).mapToObj(Long::toString).collect(Collectors.joining(" "));
    }

    private void awaitMembers() throws InterruptedException {
        for (Thread thread : threads) {
            thread.join();
        }
    }

    void stop() throws InterruptedException {
        synchronized (this) {
            stopping = true;
        }
        awaitMembers();
    }

    /** Many at a time: each close waits a tenth of a second for a thread of its client. */
    void close() throws InterruptedException {
        ExecutorService closers = Executors.newFixedThreadPool(CLOSING_AT_ONCE);
        for (CuratorFramework client : clients) {
            closers.execute(client::close);
        }
        closers.shutdown();
        if (!closers.awaitTermination(CLOSING_SECONDS, TimeUnit.SECONDS)) {
            throw new IllegalStateException("not closed in " + CLOSING_SECONDS + " s");
        }
    }
}
