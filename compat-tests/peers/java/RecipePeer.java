// SPDX-License-Identifier: Apache-2.0

import java.io.BufferedReader;
import java.io.InputStreamReader;
import java.net.URLDecoder;
import java.net.URLEncoder;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import java.util.Map;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.Lock;
import org.apache.curator.framework.CuratorFramework;
import org.apache.curator.framework.CuratorFrameworkFactory;
import org.apache.curator.framework.recipes.leader.LeaderSelector;
import org.apache.curator.framework.recipes.leader.LeaderSelectorListenerAdapter;
import org.apache.curator.framework.recipes.locks.InterProcessMultiLock;
import org.apache.curator.framework.recipes.locks.InterProcessSemaphoreV2;
import org.apache.curator.framework.recipes.locks.Lease;
import org.apache.curator.retry.RetryNTimes;

/**
 * A Java process with recipes that hold an InterProcessMutex inside, for the tests to talk to; speaks the line protocol
 * of support/peer.c, as far as these can. The argument says which: leader-selector, multi-lock, semaphore, spring.
 */
public final class RecipePeer {
    /** What the tests call a mutex. */
    private interface Recipe {
        boolean acquire(long milliseconds) throws Exception; // -1: no limit

        void release() throws Exception;
    }

    private static final Map<String, CuratorFramework> CLIENTS = new ConcurrentHashMap<>();
    private static final Map<String, Recipe> RECIPES = new ConcurrentHashMap<>();
    private static final Map<String, BlockingQueue<String[]>> WORKERS = new ConcurrentHashMap<>();
    private static String kind;

    /** Takes part in an election, and leads from the grant to the release. */
    private static final class Election implements Recipe {
        private final CuratorFramework client;
        private final String path;
        private LeaderSelector selector;
        private CountDownLatch over;

        Election(CuratorFramework client, String path) {
            this.client = client;
            this.path = path;
        }

        @Override
        public boolean acquire(long milliseconds) throws Exception {
            CountDownLatch leads = new CountDownLatch(1);
            CountDownLatch end = new CountDownLatch(1);
            LeaderSelector mine = new LeaderSelector(client, path, new LeaderSelectorListenerAdapter() {
                @Override
                public void takeLeadership(CuratorFramework framework) throws Exception {
                    leads.countDown();
                    end.await();
                }
            });
            mine.start();
            if (milliseconds < 0) {
                leads.await();
            } else if (!leads.await(milliseconds, TimeUnit.MILLISECONDS)) {
                mine.close();
                return false;
            }
            selector = mine;
            over = end;
            return true;
        }

        @Override
        public void release() throws Exception {
            over.countDown();
            while (selector.hasLeadership()) { // its thread releases the mutex after takeLeadership()
                Thread.sleep(1);
            }
            selector.close();
        }
    }

    /** The path and another one, as one lock. */
    private static final class Both implements Recipe {
        private final InterProcessMultiLock locks;

        Both(CuratorFramework client, String path) {
            locks = new InterProcessMultiLock(client, Arrays.asList(path, path + "-second"));
        }

        @Override
        public boolean acquire(long milliseconds) throws Exception {
            if (milliseconds < 0) {
                locks.acquire();
                return true;
            }
            return locks.acquire(milliseconds, TimeUnit.MILLISECONDS);
        }

        @Override
        public void release() throws Exception {
            locks.release();
        }
    }

    /** One lease. The semaphore has its mutex at PATH/locks, for as long as a lease is being acquired. */
    private static final class OneLease implements Recipe {
        private final InterProcessSemaphoreV2 semaphore;
        private Lease lease;

        OneLease(CuratorFramework client, String path) {
            semaphore = new InterProcessSemaphoreV2(client, path, 1);
        }

        @Override
        public boolean acquire(long milliseconds) throws Exception {
            lease = milliseconds < 0 ? semaphore.acquire() : semaphore.acquire(milliseconds, TimeUnit.MILLISECONDS);
            return lease != null;
        }

        @Override
        public void release() throws Exception {
            semaphore.returnLease(lease);
        }
    }

    /** A lock of a ZookeeperLockRegistry of Spring Integration, which is not there when this is compiled. */
    private static final class OfRegistry implements Recipe {
        private final Lock lock;

        OfRegistry(CuratorFramework client, String path) throws ReflectiveOperationException {
            int slash = path.lastIndexOf('/');
            Class<?> type = Class.forName("org.springframework.integration.zookeeper.lock.ZookeeperLockRegistry");
            Object registry = type.getConstructor(CuratorFramework.class, String.class)
                .newInstance(client, slash > 0 ? path.substring(0, slash) : "/");
            lock = (Lock) type.getMethod("obtain", Object.class).invoke(registry, path.substring(slash + 1));
        }

        @Override
        public boolean acquire(long milliseconds) throws Exception {
            if (milliseconds < 0) {
                lock.lock();
                return true;
            }
            return lock.tryLock(milliseconds, TimeUnit.MILLISECONDS);
        }

        @Override
        public void release() {
            lock.unlock();
        }
    }

    private static Recipe recipe(CuratorFramework client, String path) throws Exception {
        switch (kind) {
            case "leader-selector": return new Election(client, path);
            case "multi-lock": return new Both(client, path);
            case "semaphore": return new OneLease(client, path);
            case "spring": return new OfRegistry(client, path);
            default: throw new IllegalArgumentException("no recipe " + kind);
        }
    }

    private static CuratorFramework open(String[] request) {
        CuratorFrameworkFactory.Builder builder = CuratorFrameworkFactory.builder();
        builder.retryPolicy(new RetryNTimes(5, 200)).sessionTimeoutMs(10000);
        for (String option : Arrays.copyOfRange(request, 4, request.length)) {
            String[] pair = option.split("=", 2);
            if (pair[0].equals("connect")) {
                builder.connectString(pair[1]);
            } else if (pair[0].equals("session_timeout")) {
                builder.sessionTimeoutMs(Integer.parseInt(pair[1]));
            } else {
                throw new IllegalArgumentException("no option " + pair[0]);
            }
        }
        CuratorFramework client = builder.build();
        client.start();
        return client;
    }

    private static String perform(String[] request) throws Exception {
        String name = request[3];
        switch (request[2]) {
            case "open":
                CLIENTS.put(name, open(request));
                return "CURATOR_OK";
            case "await":
                boolean connected = CLIENTS.get(name)
                    .blockUntilConnected(Integer.parseInt(request[4]), TimeUnit.MILLISECONDS);
                return connected ? "CURATOR_OK" : "CURATOR_TIMED_OUT";
            case "close":
                CLIENTS.remove(name).close();
                return "CURATOR_OK";
            case "mutex":
                RECIPES.put(name, recipe(CLIENTS.get(request[4]), request[5]));
                return "CURATOR_OK";
            case "acquire":
                RECIPES.get(name).acquire(-1);
                return "CURATOR_OK";
            case "acquire_for":
                return RECIPES.get(name).acquire(Long.parseLong(request[4])) ? "CURATOR_OK" : "CURATOR_TIMED_OUT";
            case "release":
                RECIPES.get(name).release();
                return "CURATOR_OK";
            default:
                throw new IllegalArgumentException("no verb " + request[2]);
        }
    }

    private static String milliseconds() {
        return String.format("%.3f", System.nanoTime() / 1e6);
    }

    private static void run(String[] request) {
        String began = milliseconds();
        String status;
        String details = "";
        try {
            status = perform(request);
        } catch (Exception e) { // whatever it is, the test is to see it
            status = "CURATOR_ERROR";
            details = " " + URLEncoder.encode(e.toString(), StandardCharsets.UTF_8).replace("+", "%20");
        }
        synchronized (System.out) {
            System.out.println(request[0] + " " + status + " " + began + " " + milliseconds() + details);
            System.out.flush();
        }
    }

    private static BlockingQueue<String[]> startWorker(String thread) {
        BlockingQueue<String[]> requests = new LinkedBlockingQueue<>();
        Thread worker = new Thread(() -> {
            try {
                while (true) {
                    run(requests.take());
                }
            } catch (InterruptedException e) {
                Thread.currentThread().interrupt();
            }
        }, thread);
        worker.setDaemon(true);
        worker.start();
        return requests;
    }

    public static void main(String[] arguments) throws Exception {
        kind = arguments[0];
        BufferedReader input = new BufferedReader(new InputStreamReader(System.in, StandardCharsets.US_ASCII));
        for (String line = input.readLine(); line != null; line = input.readLine()) {
            String[] request = line.split(" ");
            for (int i = 0; i < request.length; i++) {
                request[i] = request[i].equals("%") ? "" : URLDecoder.decode(request[i].replace("+", "%2B"), "UTF-8");
            }
            WORKERS.computeIfAbsent(request[1], RecipePeer::startWorker).add(request);
        }
        CLIENTS.values().forEach(CuratorFramework::close);
        System.exit(0);
    }
}
