// SPDX-License-Identifier: Apache-2.0
import java.io.BufferedReader;
import java.io.ByteArrayOutputStream;
import java.io.InputStreamReader;
import java.io.PrintStream;
import java.lang.reflect.Method;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import org.apache.curator.RetryPolicy;
import org.apache.curator.framework.CuratorFramework;
import org.apache.curator.framework.CuratorFrameworkFactory;
import org.apache.curator.framework.api.ACLProvider;
import org.apache.curator.framework.recipes.locks.InterProcessMutex;
import org.apache.curator.framework.recipes.locks.InterProcessReadWriteLock;
import org.apache.curator.framework.recipes.locks.Revoker;
import org.apache.curator.retry.BoundedExponentialBackoffRetry;
import org.apache.curator.retry.ExponentialBackoffRetry;
import org.apache.curator.retry.RetryForever;
import org.apache.curator.retry.RetryNTimes;
import org.apache.curator.retry.RetryOneTime;
import org.apache.curator.retry.RetryUntilElapsed;
import org.apache.zookeeper.KeeperException;
import org.apache.zookeeper.ZooDefs;
import org.apache.zookeeper.data.ACL;
import org.apache.zookeeper.data.Stat;

/** A Java process with the real Curator for the tests to talk to; speaks the line protocol of peer.c. */
public final class JavaPeer {
    private static final PrintStream OUT = new PrintStream(System.out, false, StandardCharsets.US_ASCII);
    private static final Map<String, CuratorFramework> CLIENTS = new ConcurrentHashMap<>();
    private static final Map<String, Mutex> MUTEXES = new ConcurrentHashMap<>();
    private static final Semaphores SEMAPHORES = new Semaphores();
    private static final Map<String, Worker> WORKERS = new HashMap<>();
    private static final Method GET_LOCK_PATH = methodOf("getLockPath");
    private static final Method IS_OWNED = methodOf("isOwnedByCurrentThread");

    private static final class PeerError extends RuntimeException {
        PeerError(String message) {
            super(message);
        }
    }

    private static final class Answer {
        String status = "CURATOR_OK";
        final List<String> values = new ArrayList<>();

        void add(Object value) {
            values.add(encode(String.valueOf(value).getBytes(StandardCharsets.UTF_8)));
        }
    }

    /** The real mutex, or a side of the real read-write lock, and a note of who is in its calls. */
    private static final class Mutex {
        final InterProcessMutex lock;
        final CuratorFramework client;
        final Set<Thread> callers = ConcurrentHashMap.newKeySet();

        Mutex(CuratorFramework client, InterProcessMutex lock) {
            this.client = client;
            this.lock = lock;
        }

        /** What getLockPath() answers, which is not public in every version and class. */
        String lockPath() throws Exception {
            String path = (String) GET_LOCK_PATH.invoke(lock);
            if (path == null) {
                throw new IllegalMonitorStateException("this thread holds no lock");
            }
            return path;
        }

        /** Not public before Curator 3. */
        boolean isOwned() throws Exception {
            return (boolean) IS_OWNED.invoke(lock);
        }
    }

    private static InterProcessMutex newMutex(CuratorFramework client, String path, byte[] data) {
        return new InterProcessMutex(client, path) {
            @Override
            protected byte[] getLockNodeBytes() {
                return data;
            }
        };
    }

    private static Method methodOf(String name) {
        try {
            Method method = InterProcessMutex.class.getDeclaredMethod(name);
            method.setAccessible(true);
            return method;
        } catch (NoSuchMethodException e) {
            throw new AssertionError(e);
        }
    }

    private static final class Worker extends Thread {
        final BlockingQueue<byte[][]> requests = new LinkedBlockingQueue<>();
        volatile boolean ending;

        Worker(String name) {
            super(name);
            setDaemon(true);
            start();
        }

        @Override
        public void run() {
            while (!ending) {
                try {
                    runRequest(requests.take());
                } catch (InterruptedException e) {
                    // a late interrupt of a wait that had ended, or the end
                }
            }
        }
    }

    private static double now() {
        return System.nanoTime() / 1e6;
    }

    private static String milliseconds(double time) {
        return String.format("%.3f", time);
    }

    private static byte[] decode(String token) {
        ByteArrayOutputStream bytes = new ByteArrayOutputStream();
        for (int i = 0; i < token.length(); i++) {
            if (token.charAt(i) != '%') {
                bytes.write(token.charAt(i));
            } else if (i + 2 < token.length()) {
                bytes.write(Integer.parseInt(token.substring(i + 1, i + 3), 16));
                i += 2;
            }
        }
        return bytes.toByteArray();
    }

    private static String encode(byte[] bytes) {
        StringBuilder token = new StringBuilder();
        for (byte b : bytes) {
            if (b > ' ' && b < 0x7f && b != '%') {
                token.append((char) b);
            } else {
                token.append(String.format("%%%02x", b & 0xff));
            }
        }
        return token.length() == 0 ? "%" : token.toString();
    }

    private static void send(String line) {
        synchronized (OUT) {
            OUT.print(line + "\n");
            OUT.flush();
        }
    }

    private static void runRequest(byte[][] request) {
        Answer answer = new Answer();
        double began = now();
        try {
            run(request, answer);
        } catch (PeerError e) {
            answer.status = "PEER_ERROR";
            answer.add(e.getMessage());
        } catch (Exception e) {
            answer.status = statusOf(e);
            answer.add(e);
        }
        double ended = now();
        Thread.interrupted();
        String line = text(request[0]) + " " + answer.status + " " + milliseconds(began) + " " + milliseconds(ended);
        send(answer.values.isEmpty() ? line : line + " " + String.join(" ", answer.values));
    }

    private static String statusOf(Exception e) {
        if (e instanceof IllegalMonitorStateException) {
            return "CURATOR_NOT_OWNER";
        } else if (e instanceof KeeperException.NoAuthException) {
            return "CURATOR_NO_AUTH";
        } else if (e instanceof KeeperException.ConnectionLossException) {
            return "CURATOR_CONNECTION_LOSS";
        } else if (e instanceof KeeperException.SessionExpiredException) {
            return "CURATOR_SESSION_EXPIRED";
        } else if (e instanceof InterruptedException) {
            return "CURATOR_INTERRUPTED";
        } else if (e instanceof IllegalArgumentException) {
            return "CURATOR_INVALID_ARGUMENT";
        }
        return "CURATOR_ERROR";
    }

    private static String text(byte[] token) {
        return new String(token, StandardCharsets.UTF_8);
    }

    private static <T> T known(T value, String name) {
        if (value == null) {
            throw new PeerError("no client or mutex " + name);
        }
        return value;
    }

    private static void run(byte[][] request, Answer answer) throws Exception {
        String verb = text(request[2]);
        String name = text(request[3]);
        switch (verb) {
            case "open":
                open(name, Arrays.copyOfRange(request, 4, request.length));
                break;
            case "await":
            case "state":
            case "session_timeout":
            case "session":
            case "read":
            case "write":
            case "revoke":
            case "close":
                runOnClient(verb, name, known(CLIENTS.get(name), name), request, answer);
                break;
            case "mutex":
                CuratorFramework client = known(CLIENTS.get(text(request[4])), text(request[4]));
                byte[] data = request.length > 6 ? request[6] : null;
                MUTEXES.put(name, new Mutex(client, newMutex(client, text(request[5]), data)));
                break;
            case "semaphore":
                SEMAPHORES.add(known(CLIENTS.get(text(request[4])), text(request[4])), request);
                break;
            case "read_write_lock":
                newReadWriteLock(name, known(CLIENTS.get(text(request[4])), text(request[4])), request);
                break;
            default:
                if (verb.equals("destroy")) {
                    break;
                }
                if (SEMAPHORES.knows(request)) {
                    answer.status = SEMAPHORES.run(request, answer::add);
                    break;
                }
                Mutex mutex = known(MUTEXES.get(name), name);
                if (verb.equals("interrupt")) {
                    mutex.callers.forEach(Thread::interrupt);
                    break;
                }
                mutex.callers.add(Thread.currentThread());
                try {
                    runOnMutex(verb, mutex, request, answer);
                } finally {
                    mutex.callers.remove(Thread.currentThread());
                }
        }
    }

    private static void newReadWriteLock(String name, CuratorFramework client, byte[][] request) {
        byte[] data = request.length > 6 ? request[6] : null;
        InterProcessReadWriteLock lock = new InterProcessReadWriteLock(client, text(request[5]), data);
        MUTEXES.put(name + ".read", new Mutex(client, lock.readLock()));
        MUTEXES.put(name + ".write", new Mutex(client, lock.writeLock()));
    }

    private static void open(String name, byte[][] options) throws ReflectiveOperationException {
        CuratorFrameworkFactory.Builder builder = CuratorFrameworkFactory.builder();
        RetryPolicy retry = new ExponentialBackoffRetry(1000, 3);
        String scheme = null;
        byte[] credentials = null;
        for (byte[] option : options) {
            String[] pair = new String(option, StandardCharsets.ISO_8859_1).split("=", 2);
            byte[] bytes = pair[1].getBytes(StandardCharsets.ISO_8859_1);
            String value = text(bytes);
            switch (pair[0]) {
                case "connect": builder.connectString(value); break;
                case "session_timeout": builder.sessionTimeoutMs(Integer.parseInt(value)); break;
                case "connection_timeout": builder.connectionTimeoutMs(Integer.parseInt(value)); break;
                case "retry": retry = retryOf(value); break;
                case "namespace": builder.namespace(value); break;
                case "auth_scheme": scheme = value; break;
                case "auth": credentials = bytes; break;
                case "acl": builder.aclProvider(aclOf(value)); break;
                case "default_data": builder.defaultData(bytes); break;
                case "compress": enableCompression(builder); break;
                case "log": break;
                default: throw new PeerError("no option " + pair[0]);
            }
        }
        if (scheme != null) {
            builder.authorization(scheme, credentials);
        }
        CuratorFramework client = builder.retryPolicy(retry).build();
        client.getConnectionStateListenable().addListener((framework, state) ->
            send("event state " + name + " " + state + " " + milliseconds(now())));
        client.start();
        CLIENTS.put(name, client);
    }

    /** Curator has it since 5.8. */
    private static void enableCompression(CuratorFrameworkFactory.Builder builder) throws ReflectiveOperationException {
        CuratorFrameworkFactory.Builder.class.getMethod("enableCompression").invoke(builder);
    }

    private static RetryPolicy retryOf(String value) {
        String[] parts = value.split(":");
        int[] n = new int[parts.length];
        for (int i = 1; i < parts.length; i++) {
            n[i] = Integer.parseInt(parts[i]);
        }
        switch (parts[0]) {
            case "exp": return new ExponentialBackoffRetry(n[1], n[2]);
            case "bexp": return new BoundedExponentialBackoffRetry(n[1], n[2], n[3]);
            case "n": return new RetryNTimes(n[1], n[2]);
            case "once": return new RetryOneTime(n[1]);
            case "forever": return new RetryForever(n[1]);
            case "until": return new RetryUntilElapsed(n[1], n[2]);
            default: throw new PeerError("no retry policy " + value);
        }
    }

    private static ACLProvider aclOf(String value) {
        List<ACL> acl = value.equals("creator") ? ZooDefs.Ids.CREATOR_ALL_ACL : ZooDefs.Ids.OPEN_ACL_UNSAFE;
        return new ACLProvider() {
            @Override
            public List<ACL> getDefaultAcl() {
                return acl;
            }

            @Override
            public List<ACL> getAclForPath(String path) {
                return acl;
            }
        };
    }

    private static void runOnClient(String verb, String name, CuratorFramework client, byte[][] request, Answer answer)
            throws Exception {
        switch (verb) {
            case "await":
                if (!client.blockUntilConnected(Integer.parseInt(text(request[4])), TimeUnit.MILLISECONDS)) {
                    answer.status = "CURATOR_TIMED_OUT";
                    answer.add("not connected");
                }
                break;
            case "state":
                answer.add(client.getZookeeperClient().isConnected() ? "CONNECTED" : "CONNECTING");
                break;
            case "session_timeout":
                answer.add(client.getZookeeperClient().getZooKeeper().getSessionTimeout());
                break;
            case "session":
                answer.add(client.getZookeeperClient().getZooKeeper().getSessionId());
                StringBuilder password = new StringBuilder();
                for (byte b : client.getZookeeperClient().getZooKeeper().getSessionPasswd()) {
                    password.append(String.format("%02x", b & 0xff));
                }
                answer.add(password);
                break;
            case "read":
                answer.values.add(encode(client.getData().forPath(text(request[4]))));
                client.getACL().forPath(text(request[4])).forEach(acl ->
                    answer.add(acl.getId().getScheme() + ":" + acl.getId().getId() + ":" + acl.getPerms()));
                break;
            case "write":
                client.setData().forPath(text(request[4]), request[5]);
                break;
            case "revoke":
                Revoker.attemptRevoke(client, text(request[4]));
                break;
            default:
                CLIENTS.remove(name);
                client.close();
        }
    }

    private static void runOnMutex(String verb, Mutex mutex, byte[][] request, Answer answer) throws Exception {
        switch (verb) {
            case "acquire":
                mutex.lock.acquire();
                break;
            case "acquire_for":
                if (!mutex.lock.acquire(Long.parseLong(text(request[4])), TimeUnit.MILLISECONDS)) {
                    answer.status = "CURATOR_TIMED_OUT";
                    answer.add("not acquired");
                }
                break;
            case "release":
                mutex.lock.release();
                break;
            case "is_acquired":
                answer.add(mutex.lock.isAcquiredInThisProcess());
                break;
            case "is_owned":
                answer.add(mutex.isOwned());
                break;
            case "participants":
                mutex.lock.getParticipantNodes().forEach(answer::add);
                break;
            case "lock_path":
                answer.add(mutex.lockPath());
                break;
            case "token":
                Stat stat = mutex.client.checkExists().forPath(mutex.lockPath());
                answer.add(known(stat, mutex.lockPath()).getCzxid());
                break;
            case "make_revocable":
                String name = text(request[3]);
                mutex.lock.makeRevocable(revoked -> send("event revoke " + name + " " + milliseconds(now())));
                break;
            default:
                throw new PeerError("no verb " + verb);
        }
    }

    private static void endThread(String name) throws InterruptedException {
        Worker worker = WORKERS.remove(name);
        if (worker != null) {
            worker.ending = true;
            worker.interrupt();
            worker.join();
        }
    }

    public static void main(String[] arguments) throws Exception {
        BufferedReader in = new BufferedReader(new InputStreamReader(System.in, StandardCharsets.US_ASCII));
        String line;
        while ((line = in.readLine()) != null) {
            byte[][] request = Arrays.stream(line.split(" ")).map(JavaPeer::decode).toArray(byte[][]::new);
            if (text(request[2]).equals("end_thread")) {
                endThread(text(request[1]));
                send(text(request[0]) + " CURATOR_OK " + milliseconds(now()) + " " + milliseconds(now()));
            } else {
                WORKERS.computeIfAbsent(text(request[1]), Worker::new).requests.add(request);
            }
        }
        CLIENTS.values().forEach(CuratorFramework::close);
        Runtime.getRuntime().halt(0);
    }
}
