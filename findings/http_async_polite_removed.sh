#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# Package: libhttp-async-perl 0.33 (Debian 12; HTTP::Async::Polite).
# Expected: the manual says that the simultaneous requests of a domain are limited, and that remove() takes an item out in
#   whichever state it is; so the next one of that domain is sent.
# Really: only an answer gives the place of a domain back. After the request under way has been removed nothing is sent
#   to that domain any more. A request that waits for its turn is not found: remove() returns false and it is sent.
# Seen: the lines at the end of this script, with a server that answers all but /slow. Controls: HTTP::Async without the
#   turns; nothing is removed.

set -euo pipefail
source "$(dirname "$0")/common.sh"
debian libhttp-async-perl '0.33-*'

cat >"$tmp/removed.pl" <<'PROGRAM'
use strict;
use warnings;
use HTTP::Async;
use HTTP::Async::Polite;
use HTTP::Request;
use IO::Socket::INET;

my $server = IO::Socket::INET->new(LocalAddr => $ARGV[0], Listen => 20, ReuseAddr => 1) or die $@;
my $port = $server->sockport;
my $child = fork // die $!;
if ($child == 0) {
    my @open;
    while (my $client = $server->accept) {
        my $line = <$client> // next;
        push @open, $client;
        next if $line =~ m{ /slow };
        while (<$client>) { last if /^\r?$/ }
        my ($path) = $line =~ m{ (/\S+) };
        printf $client "HTTP/1.0 200 OK\r\nContent-Length: %d\r\n\r\n%s", length $path, $path;
        $client->flush;
        close $client;
    }
    exit;
}
close $server;

sub request { HTTP::Request->new(GET => "http://$ARGV[0]:$port/$_[0]") }

# What is answered within 3 s.
sub answers {
    my ($async) = @_;
    my @seen;
    my $end = time + 3;
    while (time < $end) {
        my $response = $async->next_response or select(undef, undef, undef, 0.05), next;
        push @seen, $response->content;
    }
    return @seen ? "answers to @seen" : 'no answer';
}

sub run {
    my ($title, $class, $first, $removed, $rounds) = @_;
    my $async = $class->new;
    $async->send_interval(0.1) if $class =~ /Polite/;
    my %id = map { $_ => $async->add(request($_)) } $first, 'second';
    $async->poke, select undef, undef, undef, 0.05 for 1 .. $rounds;
    my $told = $removed ? $async->remove($id{$removed}) ? 'removed, ' : 'remove() says no, ' : '';
    print "$title: $told", answers($async), "\n";
    $async->{$_} = {} for qw(in_progress id_opts);
    $async->{$_} = [] for qw(to_send to_return);
    $async->{domain_stats} = {};
}

$| = 1;
run('the one under way is removed', 'HTTP::Async::Polite', 'slow', 'slow', 10);
run('the one that waits is removed', 'HTTP::Async::Polite', 'first', 'second', 1);
run('control, HTTP::Async, the one under way is removed', 'HTTP::Async', 'slow', 'slow', 10);
run('control, nothing is removed', 'HTTP::Async::Polite', 'first', undef, 10);
kill TERM => $child;
PROGRAM

as_stated 'the one under way is removed: removed, no answer
the one that waits is removed: remove() says no, answers to /first /second
control, HTTP::Async, the one under way is removed: removed, answers to /second
control, nothing is removed: answers to /first /second' "$(perl "$tmp/removed.pl" "$(loopback)")"
