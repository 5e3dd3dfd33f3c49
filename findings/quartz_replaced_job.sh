#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# Packages: libquartz2-java 2.3.2 with libhsqldb-java 2.7.1 (Debian 12), with Java 17.
# Expected: the manual says that of a class with @DisallowConcurrentExecution one instance of a job runs at a time, and
#   that addJob() with `replace` gives a job a new definition. So after the change no two of the new class overlap.
# Really: they do if a run of the old class, which may overlap, is still under way. Kept in memory, the job is freed by
#   the end of the old run: the store asks the new definition whether runs are kept apart. Each old run that ends lets
#   in one more. Kept in a database, a new trigger looks at one run alone, the oldest: all new runs overlap at once.
# Seen: the lines at the end of this script. A small letter is a run of the old class, a capital one of the new class; +
#   asks for a run, - ends it. Controls: the old run ends before the change; the old class keeps its runs apart, too.

set -euo pipefail
source "$(dirname "$0")/common.sh"
debian libquartz2-java '2.3.2-*'
debian libhsqldb-java '2.7.1-*'
debian openjdk-17-jdk-headless '17.*'

cat >"$tmp/Replaced.java" <<'PROGRAM'
import java.io.InputStream;
import java.sql.*;
import java.util.*;
import java.util.concurrent.*;
import org.quartz.*;
import org.quartz.impl.StdSchedulerFactory;

public class Replaced {
    static final Set<String> running = new ConcurrentSkipListSet<>();
    static final Map<String, CountDownLatch> ends = new ConcurrentHashMap<>();
    static Scheduler scheduler;

    static CountDownLatch end(String name) { return ends.computeIfAbsent(name, it -> new CountDownLatch(1)); }

    public static class Overlapping implements Job {
        public void execute(JobExecutionContext context) {
            String name = context.getTrigger().getKey().getName();
            running.add(name);
            try {
                end(name).await();
            } catch (InterruptedException interrupted) {
                Thread.currentThread().interrupt();
            }
            running.remove(name);
        }
    }

    @DisallowConcurrentExecution
    public static class Alone extends Overlapping { }

    static void database(String url, Properties settings) throws Exception {
        settings.put("org.quartz.jobStore.class", "org.quartz.impl.jdbcjobstore.JobStoreTX");
        settings.put("org.quartz.jobStore.driverDelegateClass", "org.quartz.impl.jdbcjobstore.HSQLDBDelegate");
        settings.put("org.quartz.jobStore.dataSource", "jobs");
        settings.put("org.quartz.dataSource.jobs.driver", "org.hsqldb.jdbc.JDBCDriver");
        settings.put("org.quartz.dataSource.jobs.URL", url);
        settings.put("org.quartz.dataSource.jobs.user", "SA");
        String tables = "/org/quartz/impl/jdbcjobstore/tables_hsqldb.sql";
        try (Connection connection = DriverManager.getConnection(url, "SA", "");
             InputStream statements = Scheduler.class.getResourceAsStream(tables)) {
            for (String statement : new String(statements.readAllBytes()).split(";"))
                if (!statement.isBlank())
                    connection.createStatement().execute(statement);
        }
    }

    static void define(Class<? extends Job> of) throws SchedulerException {
        scheduler.addJob(JobBuilder.newJob(of).withIdentity("job").storeDurably().build(), true);
    }

    static void run(String title, Class<? extends Job> first, String steps) throws Exception {
        Properties settings = new Properties();
        settings.put("org.quartz.scheduler.instanceName", title);
        settings.put("org.quartz.scheduler.skipUpdateCheck", "true");
        settings.put("org.quartz.threadPool.threadCount", "6");
        if (title.contains("database"))
            database("jdbc:hsqldb:mem:" + title.length(), settings);
        scheduler = new StdSchedulerFactory(settings).getScheduler();
        scheduler.start();
        define(first);
        ends.clear();
        System.out.print(title + ":");
        for (String step : steps.split(" ")) {
            String name = step.substring(0, 1);
            if (step.equals("new"))
                define(Alone.class);
            else if (step.endsWith("+"))
                scheduler.scheduleJob(TriggerBuilder.newTrigger().withIdentity(name).forJob("job").build());
            else
                end(name).countDown();
            Thread.sleep(600);
            System.out.print(" " + step + "(" + String.join(" ", running) + ")");
        }
        System.out.println();
        for (String name : "a b C D E".split(" "))
            end(name).countDown();
        scheduler.shutdown(true);
    }

    public static void main(String[] arguments) throws Exception {
        run("memory", Overlapping.class, "a+ b+ new C+ D+ E+ a- b-");
        run("database", Overlapping.class, "a+ new C+ D+ E+ a-");
        run("control, memory, ended before", Overlapping.class, "a+ a- new C+ D+");
        run("control, database, ended before", Overlapping.class, "a+ a- new C+ D+");
        run("control, memory, kept apart", Alone.class, "a+ new C+ D+ a-");
        run("control, database, kept apart", Alone.class, "a+ new C+ D+ a-");
    }
}
PROGRAM

jars=$(printf '/usr/share/java/%s.jar:' quartz2 slf4j-api slf4j-nop hsqldb c3p0)
java=(/usr/lib/jvm/java-17-openjdk-*/bin/java)
"${java[0]}c" -cp "$jars" -d "$tmp" "$tmp/Replaced.java"
as_stated 'memory: a+(a) b+(a b) new(a b) C+(C a b) D+(C a b) E+(C a b) a-(C D b) b-(C D E)
database: a+(a) new(a) C+(C a) D+(C D a) E+(C D E a) a-(C D E)
control, memory, ended before: a+(a) a-() new() C+(C) D+(C)
control, database, ended before: a+(a) a-() new() C+(C) D+(C)
control, memory, kept apart: a+(a) new(a) C+(a) D+(a) a-(C)
control, database, kept apart: a+(a) new(a) C+(a) D+(a) a-(C)' \
    "$("${java[0]}" -cp "$jars$tmp" Replaced 2>"$tmp/log")"
