// SPDX-License-Identifier: Apache-2.0
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.Collection;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.TimeUnit;
import java.util.function.Consumer;
import org.apache.curator.framework.CuratorFramework;
import org.apache.curator.framework.recipes.locks.InterProcessSemaphoreV2;
import org.apache.curator.framework.recipes.locks.Lease;

/** The real semaphores of the Java peer, and their leases, by name; the verbs of peer_semaphore.c. */
final class Semaphores {
    private static final class Semaphore {
        final InterProcessSemaphoreV2 semaphore;
        final String leasesPath;
        final Set<Thread> callers = ConcurrentHashMap.newKeySet();

        Semaphore(InterProcessSemaphoreV2 semaphore, String leasesPath) {
            this.semaphore = semaphore;
            this.leasesPath = leasesPath;
        }
    }

    private final Map<String, Semaphore> semaphores = new ConcurrentHashMap<>();
    private final Map<String, Lease> leases = new ConcurrentHashMap<>();

    private static String text(byte[] token) {
        return new String(token, StandardCharsets.UTF_8);
    }

    /** semaphore [name] [client] [path] [maximum] [data] */
    void add(CuratorFramework client, byte[][] request) {
        String path = text(request[5]);
        InterProcessSemaphoreV2 semaphore =
            new InterProcessSemaphoreV2(client, path, Integer.parseInt(text(request[6])));
        if (request.length > 7) {
            semaphore.setNodeData(request[7]);
        }
        semaphores.put(text(request[3]), new Semaphore(semaphore, path + "/leases"));
    }

    /** Whether the request is for a semaphore or a lease. */
    boolean knows(byte[][] request) {
        return semaphores.containsKey(text(request[3])) || leases.containsKey(text(request[3]));
    }

    /** The status; what it answers goes to values. */
    String run(byte[][] request, Consumer<Object> values) throws Exception {
        String verb = text(request[2]);
        Semaphore semaphore = semaphores.get(text(request[3]));
        if (semaphore == null) {
            return runOnLease(verb, text(request[3]));
        }
        if (verb.equals("interrupt")) {
            semaphore.callers.forEach(Thread::interrupt);
            return "CURATOR_OK";
        }
        semaphore.callers.add(Thread.currentThread());
        try {
            return runOnSemaphore(verb, semaphore, request, values);
        } finally {
            semaphore.callers.remove(Thread.currentThread());
        }
    }

    private String runOnSemaphore(String verb, Semaphore semaphore, byte[][] request, Consumer<Object> values)
            throws Exception {
        switch (verb) {
            case "acquire":
                return keep(text(request[4]), one(semaphore.semaphore, request), values);
            case "acquire_many":
                return keepAll(text(request[4]), many(semaphore.semaphore, request), values);
            case "participants":
                for (String name : semaphore.semaphore.getParticipantNodes()) {
                    values.accept(semaphore.leasesPath + "/" + name);
                }
                return "CURATOR_OK";
            default:
                return "PEER_ERROR";
        }
    }

    private static Lease one(InterProcessSemaphoreV2 semaphore, byte[][] request) throws Exception {
        return request.length > 5 ? semaphore.acquire(Long.parseLong(text(request[5])), TimeUnit.MILLISECONDS)
                                  : semaphore.acquire();
    }

    private static Collection<Lease> many(InterProcessSemaphoreV2 semaphore, byte[][] request) throws Exception {
        int count = Integer.parseInt(text(request[5]));
        return request.length > 6 ? semaphore.acquire(count, Long.parseLong(text(request[6])), TimeUnit.MILLISECONDS)
                                  : semaphore.acquire(count);
    }

    private String keep(String name, Lease lease, Consumer<Object> values) {
        if (lease == null) {
            values.accept("not acquired");
            return "CURATOR_TIMED_OUT";
        }
        leases.put(name, lease);
        return "CURATOR_OK";
    }

    private String keepAll(String name, Collection<Lease> got, Consumer<Object> values) {
        List<Lease> list = got == null ? List.of() : new ArrayList<>(got);
        for (int i = 0; i < list.size(); i++) {
            leases.put(name + "." + i, list.get(i));
        }
        if (got == null) {
            values.accept("not acquired");
        }
        return got == null ? "CURATOR_TIMED_OUT" : "CURATOR_OK";
    }

    private String runOnLease(String verb, String name) throws Exception {
        if (!verb.equals("return")) {
            return "PEER_ERROR";
        }
        leases.remove(name).close();
        return "CURATOR_OK";
    }
}
