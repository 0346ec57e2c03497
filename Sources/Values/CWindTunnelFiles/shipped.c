#include "CWindTunnelFiles.h"

#include <stdint.h>

static const unsigned char shop[] = {
#embed "../../../Cassettes/examples/shop.json"
};
static const unsigned char startup[] = {
#embed "../../../Cassettes/examples/startup.json"
};
static const unsigned char admin_openapi[] = {
#embed "../../../Cassettes/format/admin-1.openapi.json"
};
static const unsigned char reproduction[] = {
#embed "Reproduction/server.py"
};
static const unsigned char pytest_plugin[] = {
#embed "Mutants/windtunnel_mutate.py"
};
static const unsigned char bash_completion[] = {
#embed "Completions/bash"
};
static const unsigned char zsh_completion[] = {
#embed "Completions/zsh"
};
static const unsigned char github_workflow[] = {
#embed "Workflows/github"
};
static const unsigned char gitlab_workflow[] = {
#embed "Workflows/gitlab"
};
static const unsigned char shell_workflow[] = {
#embed "Workflows/shell"
};
static const unsigned char workflow_steps[] = {
#embed "Workflows/steps"
};
static const unsigned char report_style[] = {
#embed "Styles/report.css"
};
static const unsigned char findings_style[] = {
#embed "Styles/findings.css"
};
static const unsigned char mutants_style[] = {
#embed "Styles/mutants.css"
};
static const unsigned char calm[] = {
#embed "../../../Cassettes/scenarios/calm.json"
};
static const unsigned char latency[] = {
#embed "../../../Cassettes/scenarios/latency.json"
};
static const unsigned char packet_loss[] = {
#embed "../../../Cassettes/scenarios/packet-loss.json"
};
static const unsigned char legal[] = {
#embed "../../../Cassettes/scenarios/legal.json"
};
static const unsigned char rate_limited[] = {
#embed "../../../Cassettes/scenarios/rate-limited.json"
};
static const unsigned char retry_after_date[] = {
#embed "../../../Cassettes/scenarios/retry-after-date.json"
};
static const unsigned char retry_after_far[] = {
#embed "../../../Cassettes/scenarios/retry-after-far.json"
};
static const unsigned char limited[] = {
#embed "../../../Cassettes/scenarios/limited.json"
};
static const unsigned char one_fault[] = {
#embed "../../../Cassettes/scenarios/one-fault.json"
};
static const unsigned char server_errors[] = {
#embed "../../../Cassettes/scenarios/server-errors.json"
};
static const unsigned char permanent_errors[] = {
#embed "../../../Cassettes/scenarios/permanent-errors.json"
};
static const unsigned char broken_answers[] = {
#embed "../../../Cassettes/scenarios/broken-answers.json"
};
static const unsigned char changed_between[] = {
#embed "../../../Cassettes/scenarios/changed-between.json"
};
static const unsigned char captive_portal[] = {
#embed "../../../Cassettes/scenarios/captive-portal.json"
};
static const unsigned char portal_gone[] = {
#embed "../../../Cassettes/scenarios/portal-gone.json"
};
static const unsigned char stale_answers[] = {
#embed "../../../Cassettes/scenarios/stale-answers.json"
};
static const unsigned char redirect_elsewhere[] = {
#embed "../../../Cassettes/scenarios/redirect-elsewhere.json"
};
static const unsigned char redirect_downgrade[] = {
#embed "../../../Cassettes/scenarios/redirect-downgrade.json"
};
static const unsigned char redirect_loop[] = {
#embed "../../../Cassettes/scenarios/redirect-loop.json"
};
static const unsigned char dns_failure[] = {
#embed "../../../Cassettes/scenarios/dns-failure.json"
};
static const unsigned char tls_failure[] = {
#embed "../../../Cassettes/scenarios/tls-failure.json"
};
static const unsigned char expired_certificate[] = {
#embed "../../../Cassettes/scenarios/expired-certificate.json"
};
static const unsigned char wrong_host[] = {
#embed "../../../Cassettes/scenarios/wrong-host.json"
};
static const unsigned char unknown_authority[] = {
#embed "../../../Cassettes/scenarios/unknown-authority.json"
};
static const unsigned char offline[] = {
#embed "../../../Cassettes/scenarios/offline.json"
};
static const unsigned char outage[] = {
#embed "../../../Cassettes/scenarios/outage.json"
};
static const unsigned char reuse[] = {
#embed "../../../Cassettes/scenarios/reuse.json"
};
static const unsigned char large_answer[] = {
#embed "../../../Cassettes/scenarios/large-answer.json"
};
static const unsigned char dead_connection[] = {
#embed "../../../Cassettes/scenarios/dead-connection.json"
};
static const unsigned char late_answers[] = {
#embed "../../../Cassettes/scenarios/late-answers.json"
};
static const unsigned char recovery[] = {
#embed "../../../Cassettes/scenarios/recovery.json"
};
static const unsigned char warm_outage[] = {
#embed "../../../Cassettes/scenarios/warm-outage.json"
};
static const unsigned char auth_expiry[] = {
#embed "../../../Cassettes/scenarios/auth-expiry.json"
};
static const unsigned char auth_refused[] = {
#embed "../../../Cassettes/scenarios/auth-refused.json"
};
static const unsigned char stall[] = {
#embed "../../../Cassettes/scenarios/stall.json"
};
static const unsigned char stalled_body[] = {
#embed "../../../Cassettes/scenarios/stalled-body.json"
};
static const unsigned char connect_timeout[] = {
#embed "../../../Cassettes/scenarios/connect-timeout.json"
};
static const unsigned char endless_body[] = {
#embed "../../../Cassettes/scenarios/endless-body.json"
};
static const unsigned char error_in_200[] = {
#embed "../../../Cassettes/scenarios/error-in-200.json"
};
static const unsigned char socket_restart[] = {
#embed "../../../Cassettes/scenarios/socket-restart.json"
};
static const unsigned char socket_stall[] = {
#embed "../../../Cassettes/scenarios/socket-stall.json"
};
static const unsigned char socket_refused[] = {
#embed "../../../Cassettes/scenarios/socket-refused.json"
};
static const unsigned char slow_bytes[] = {
#embed "../../../Cassettes/scenarios/slow-bytes.json"
};
static const unsigned char cancel[] = {
#embed "../../../Cassettes/scenarios/cancel.json"
};
static const unsigned char very_bad_network[] = {
#embed "../../../Cassettes/scenarios/very-bad-network.json"
};
static const unsigned char metro[] = {
#embed "../../../Cassettes/scenarios/metro.json"
};
static const unsigned char elevator[] = {
#embed "../../../Cassettes/scenarios/elevator.json"
};
static const unsigned char handover[] = {
#embed "../../../Cassettes/scenarios/handover.json"
};
static const unsigned char airplane_mode[] = {
#embed "../../../Cassettes/scenarios/airplane-mode.json"
};
static const unsigned char slow_dns[] = {
#embed "../../../Cassettes/scenarios/slow-dns.json"
};
static const unsigned char ipv6_blackhole[] = {
#embed "../../../Cassettes/scenarios/ipv6-blackhole.json"
};
static const unsigned char nearest_dead[] = {
#embed "../../../Cassettes/scenarios/nearest-dead.json"
};
static const unsigned char nearest_slow[] = {
#embed "../../../Cassettes/scenarios/nearest-slow.json"
};
static const unsigned char nearest_lies[] = {
#embed "../../../Cassettes/scenarios/nearest-lies.json"
};
static const unsigned char config_garbage[] = {
#embed "../../../Cassettes/scenarios/config-garbage.json"
};
static const unsigned char config_late[] = {
#embed "../../../Cassettes/scenarios/config-late.json"
};
static const unsigned char config_replayed[] = {
#embed "../../../Cassettes/scenarios/config-replayed.json"
};
static const unsigned char offline_start[] = {
#embed "../../../Cassettes/scenarios/offline-start.json"
};

static const struct {
  const char *name;
  const unsigned char *bytes;
  size_t length;
} files[] = {
    {"examples/shop", shop, sizeof shop},
    {"examples/startup", startup, sizeof startup},
    {"scenarios/calm", calm, sizeof calm},
    {"scenarios/latency", latency, sizeof latency},
    {"scenarios/packet-loss", packet_loss, sizeof packet_loss},
    {"scenarios/legal", legal, sizeof legal},
    {"scenarios/rate-limited", rate_limited, sizeof rate_limited},
    {"scenarios/retry-after-date", retry_after_date, sizeof retry_after_date},
    {"scenarios/retry-after-far", retry_after_far, sizeof retry_after_far},
    {"scenarios/limited", limited, sizeof limited},
    {"scenarios/one-fault", one_fault, sizeof one_fault},
    {"scenarios/server-errors", server_errors, sizeof server_errors},
    {"scenarios/permanent-errors", permanent_errors, sizeof permanent_errors},
    {"scenarios/broken-answers", broken_answers, sizeof broken_answers},
    {"scenarios/changed-between", changed_between, sizeof changed_between},
    {"scenarios/captive-portal", captive_portal, sizeof captive_portal},
    {"scenarios/portal-gone", portal_gone, sizeof portal_gone},
    {"scenarios/stale-answers", stale_answers, sizeof stale_answers},
    {"scenarios/redirect-elsewhere", redirect_elsewhere, sizeof redirect_elsewhere},
    {"scenarios/redirect-downgrade", redirect_downgrade, sizeof redirect_downgrade},
    {"scenarios/redirect-loop", redirect_loop, sizeof redirect_loop},
    {"scenarios/dns-failure", dns_failure, sizeof dns_failure},
    {"scenarios/tls-failure", tls_failure, sizeof tls_failure},
    {"scenarios/expired-certificate", expired_certificate, sizeof expired_certificate},
    {"scenarios/wrong-host", wrong_host, sizeof wrong_host},
    {"scenarios/unknown-authority", unknown_authority, sizeof unknown_authority},
    {"scenarios/offline", offline, sizeof offline},
    {"scenarios/outage", outage, sizeof outage},
    {"scenarios/reuse", reuse, sizeof reuse},
    {"scenarios/large-answer", large_answer, sizeof large_answer},
    {"scenarios/dead-connection", dead_connection, sizeof dead_connection},
    {"scenarios/late-answers", late_answers, sizeof late_answers},
    {"scenarios/recovery", recovery, sizeof recovery},
    {"scenarios/warm-outage", warm_outage, sizeof warm_outage},
    {"scenarios/auth-expiry", auth_expiry, sizeof auth_expiry},
    {"scenarios/auth-refused", auth_refused, sizeof auth_refused},
    {"scenarios/stall", stall, sizeof stall},
    {"scenarios/stalled-body", stalled_body, sizeof stalled_body},
    {"scenarios/connect-timeout", connect_timeout, sizeof connect_timeout},
    {"scenarios/slow-bytes", slow_bytes, sizeof slow_bytes},
    {"scenarios/cancel", cancel, sizeof cancel},
    {"scenarios/very-bad-network", very_bad_network, sizeof very_bad_network},
    {"scenarios/metro", metro, sizeof metro},
    {"scenarios/elevator", elevator, sizeof elevator},
    {"scenarios/handover", handover, sizeof handover},
    {"scenarios/airplane-mode", airplane_mode, sizeof airplane_mode},
    {"scenarios/slow-dns", slow_dns, sizeof slow_dns},
    {"scenarios/ipv6-blackhole", ipv6_blackhole, sizeof ipv6_blackhole},
    {"scenarios/endless-body", endless_body, sizeof endless_body},
    {"scenarios/error-in-200", error_in_200, sizeof error_in_200},
    {"scenarios/socket-restart", socket_restart, sizeof socket_restart},
    {"scenarios/socket-stall", socket_stall, sizeof socket_stall},
    {"scenarios/socket-refused", socket_refused, sizeof socket_refused},
    {"scenarios/nearest-dead", nearest_dead, sizeof nearest_dead},
    {"scenarios/nearest-slow", nearest_slow, sizeof nearest_slow},
    {"scenarios/nearest-lies", nearest_lies, sizeof nearest_lies},
    {"scenarios/config-garbage", config_garbage, sizeof config_garbage},
    {"scenarios/config-late", config_late, sizeof config_late},
    {"scenarios/config-replayed", config_replayed, sizeof config_replayed},
    {"scenarios/offline-start", offline_start, sizeof offline_start},
    {"reproduction", reproduction, sizeof reproduction},
    {"pytest-plugin", pytest_plugin, sizeof pytest_plugin},
    {"completions/bash", bash_completion, sizeof bash_completion},
    {"completions/zsh", zsh_completion, sizeof zsh_completion},
    {"workflows/github", github_workflow, sizeof github_workflow},
    {"workflows/gitlab", gitlab_workflow, sizeof gitlab_workflow},
    {"workflows/shell", shell_workflow, sizeof shell_workflow},
    {"workflows/steps", workflow_steps, sizeof workflow_steps},
    {"styles/report", report_style, sizeof report_style},
    {"styles/findings", findings_style, sizeof findings_style},
    {"styles/mutants", mutants_style, sizeof mutants_style},
    {"format/admin-1.openapi", admin_openapi, sizeof admin_openapi},
};

static const size_t count = sizeof files / sizeof files[0];

const unsigned char *wt_shipped_bytes(size_t number) {
  return number < count ? files[number].bytes : NULL;
}

size_t wt_shipped_length(size_t number) { return number < count ? files[number].length : 0; }

const char *wt_shipped_name(size_t number) { return number < count ? files[number].name : NULL; }

// The mark of this module in programs, by which `check-release` finds it; the number is its own.
#if defined(__ELF__)
__attribute__((used, retain, section("wt_modules")))
#elif defined(__APPLE__)
__attribute__((used, section("__DATA_CONST,__wt_modules")))
#endif
static const uint64_t link_mark[3] = {0xF1D38A6C57E294B0, 0x9C0EB7A52D41F863, 27};
