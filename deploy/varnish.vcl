# Varnish 7 in front of Slugline: keeps public responses until an event names one of their keys.
#
#   varnishd -a :80 -f /etc/varnish/varnish.vcl -s malloc,512m
#
# examples/webhook-receiver/purge.mjs receives the events and sends the bans.
vcl 4.1;

import std;

backend default {
  .host = "127.0.0.1";
  .port = "8080";
}

# Who may send bans.
acl purgers {
  "127.0.0.1";
  "::1";
}

sub vcl_recv {
  if (req.method == "BAN") {
    if (client.ip !~ purgers) {
      return (synth(405, "Not allowed"));
    }
    # A regular expression without blanks that matches one of the keys.
    if (!req.http.X-Keys) {
      return (synth(400, "X-Keys is missing"));
    }
    if (!std.ban("obj.http.Surrogate-Key ~ " + req.http.X-Keys)) {
      return (synth(400, std.ban_error()));
    }
    return (synth(200, "Banned"));
  }
  if (req.method != "GET" && req.method != "HEAD") {
    return (pass);
  }
  # Markdown that a header asks for is never stored; `?format=markdown` is. For all others one response is enough.
  if (req.http.Accept ~ "(?i)text/markdown") {
    return (pass);
  }
  if (req.url !~ "^/(api|admin)") {
    unset req.http.Accept;
  }
  # Readers with a session or a key see more than the public.
  if (req.http.Cookie || req.http.Authorization || req.url ~ "^/admin") {
    return (pass);
  }
}

sub vcl_backend_response {
  if (beresp.http.Surrogate-Key) {
    set beresp.ttl = 1d;
    # While Slugline is away, a response stays for another day.
    set beresp.grace = 1d;
  } else {
    # Such as a 404: no event names it.
    set beresp.uncacheable = true;
    set beresp.ttl = 10s;
  }
}

sub vcl_deliver {
  if (resp.http.Surrogate-Key) {
    # A browser cannot be told of a change, so it asks each time. With an ETag the answer is a short 304.
    set resp.http.Cache-Control = "public, max-age=0, must-revalidate";
    unset resp.http.Surrogate-Key;
  }
}
