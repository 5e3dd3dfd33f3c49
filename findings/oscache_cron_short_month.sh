#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# Package: liboscache-java 2.4.1 (Debian 12; FastCronParser), with OpenJDK 17.
# Expected: getTimeBefore() is the last time at which the schedule was due: of each 31st at midnight on 21 May that of
#   31 March. An entry of the cache is stale if it is older.
# Really: if the month before has no 31st the answer is midnight of the day of the question: an entry that is refreshed
#   on each 31st is stale on 150 days of a year.
# Seen: the lines at the end of this script, for each noon of 2021. Controls: the 1st; the 28th.

set -euo pipefail
source "$(dirname "$0")/common.sh"
debian liboscache-java '2.4.1*'
debian libcommons-logging-java '1.2-*'
debian openjdk-17-jdk-headless '17.*'

cat >"$tmp/Short.java" <<'PROGRAM'
import com.opensymphony.oscache.util.FastCronParser;
import java.time.LocalDate;
import java.time.LocalDateTime;
import java.time.ZoneOffset;
import java.util.TimeZone;

public class Short {
    static LocalDateTime before(int day, LocalDate date) throws Exception {
        long noon = date.atTime(12, 0).toEpochSecond(ZoneOffset.UTC) * 1000;
        long answer = new FastCronParser("0 0 " + day + " * *").getTimeBefore(noon);
        return LocalDateTime.ofEpochSecond(answer / 1000, 0, ZoneOffset.UTC);
    }

    static void run(String title, int day) throws Exception {
        int wrong = 0;
        for (LocalDate date = LocalDate.of(2021, 1, 1); date.getYear() == 2021; date = date.plusDays(1))
            if (before(day, date).getDayOfMonth() != day)
                wrong++;
        System.out.println(title + "of each " + day + ".: on " + wrong + " of 365 days the answer is no " + day + ".; on 14 March it is "
            + before(day, LocalDate.of(2021, 3, 14)) + ", on 21 May " + before(day, LocalDate.of(2021, 5, 21)));
    }

    public static void main(String[] arguments) throws Exception {
        TimeZone.setDefault(TimeZone.getTimeZone("UTC"));
        run("", 31);
        run("", 30);
        run("control, ", 28);
        run("control, ", 1);
    }
}
PROGRAM

java=(/usr/lib/jvm/java-17-openjdk-*/bin/java)
as_stated 'of each 31.: on 150 of 365 days the answer is no 31.; on 14 March it is 2021-03-14T00:00, on 21 May 2021-05-21T00:00
of each 30.: on 29 of 365 days the answer is no 30.; on 14 March it is 2021-03-14T00:00, on 21 May 2021-04-30T00:00
control, of each 28.: on 0 of 365 days the answer is no 28.; on 14 March it is 2021-02-28T00:00, on 21 May 2021-04-28T00:00
control, of each 1.: on 0 of 365 days the answer is no 1.; on 14 March it is 2021-03-01T00:00, on 21 May 2021-05-01T00:00' "$("${java[0]}" -cp /usr/share/java/oscache.jar:/usr/share/java/commons-logging.jar "$tmp/Short.java")"
