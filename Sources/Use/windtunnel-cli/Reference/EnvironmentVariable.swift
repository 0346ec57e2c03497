/// An environment variable that this package reads, or sets for programs that it starts.
struct EnvironmentVariable {
  /// The name. `NAME` in it is a placeholder for another name.
  var name: String
  /// The reader of the variable, or the command that sets it.
  var user: String
  /// The meaning of its value.
  var meaning: String

  private init(_ name: String, _ user: String, _ meaning: String = "") {
    (self.name, self.user, self.meaning) = (name, user, meaning)
  }

  /// Returns the variable with the meaning of its value.
  private func means(_ meaning: String) -> Self { Self(name, user, meaning) }

  /// The variables that are read, the command line's first.
  static let read: [EnvironmentVariable] = [
    .init("WINDTUNNEL_SHARD", "drill --shard env")
      .means("The part to run, such as 3/8; overrides the other variables of parts."),
    .init("CI_NODE_INDEX", "drill --shard env", "The number of the part, from 1 (GitLab)."),
    .init("CI_NODE_TOTAL", "drill --shard env", "The number of parts (GitLab)."),
    .init("CIRCLE_NODE_INDEX", "drill --shard env", "The number of the part, from 0 (CircleCI)."),
    .init("CIRCLE_NODE_TOTAL", "drill --shard env", "The number of parts (CircleCI)."),
    .init("BUILDKITE_PARALLEL_JOB", "drill --shard env")
      .means("The number of the part, from 0 (Buildkite)."),
    .init("BUILDKITE_PARALLEL_JOB_COUNT", "drill --shard env", "The number of parts (Buildkite)."),
    .init("JOB_COMPLETION_INDEX", "drill --shard env")
      .means("The number of the part, from 0 (an Indexed Job of Kubernetes)."),
    .init("WINDTUNNEL_SHARDS", "drill --shard env", "The number of parts of an Indexed Job."),
    .init(
      "WINDTUNNEL_OPENSSL",
      "TLS, and sealed files",
      "The folder of the OpenSSL libraries."
    ),
    .init("NO_COLOR", "drill, report", "Any value: no colours on a terminal."),
    .init("TERM", "drill, report", "dumb: no colours on a terminal."),
    .init("SOURCE_DATE_EPOCH", "drill", "The date in reports, in seconds since 1970."),
    .init("GITHUB_ACTIONS", "drill, report", "true: also annotate failures in the run."),
    .init("PATH", "drill, record", "The folders to search for the program after --."),
    .init("WINDTUNNEL_RECORD", "tests")
      .means("The mode of recording: none, once, new-episodes, rewrite or verify."),
    .init("CI", "tests", "Any value: nothing is recorded unless WINDTUNNEL_RECORD is set."),
    .init("WINDTUNNEL_CASSETTES", "tests", "The folder of the cassettes."),
    .init("WINDTUNNEL_DATES", "tests", "1: each recording stores its day."),
    .init("WINDTUNNEL_SECRET_NAME", "tests that verify")
      .means(
        "The value for REDACTED-name-1, -2 and so on; with the suffix _2, only for the second."
      ),
    .init("WINDTUNNEL_MUTATE", "tests", "The log of windtunnel mutate, to which tests append."),
    .init(
      "WINDTUNNEL_MUTATE_DECKS",
      "tests",
      "The folder for decks of withDeck, and for the arguments of the test program."
    ),
    .init("TMPDIR", "servers", "The folder for large bodies while they are read."),
  ]

  /// The variables that are set for a program when it is started.
  static let set: [EnvironmentVariable] = [
    .init("WINDTUNNEL_URL", "drill, record, mutate", "The address of the request: {url}."),
    .init("WINDTUNNEL_BASE", "drill", "The address without a path: {base}."),
    .init("WINDTUNNEL_ORIGINS", "drill")
      .means(
        "The addresses of the servers of an app start, separated by spaces, nearest first: {origins}."
      ),
    .init("WINDTUNNEL_KEPT", "drill")
      .means(
        "The configuration file that the app stored at its last launch, a copy for each call: {kept}."
      ),
    .init("WINDTUNNEL_METHOD", "drill", "The method of the call: {method}."),
    .init("WINDTUNNEL_CALL", "drill", "The number of the call, from 0: {call}."),
    .init("WINDTUNNEL_BODY", "drill", "The body to send, if there is one: {body}."),
    .init("WINDTUNNEL_HEADERS", "drill", "The header fields to send, one per line."),
    .init("WINDTUNNEL_CA", "drill")
      .means("The file of the certificate authority to trust, if the call uses TLS: {ca}."),
    .init("WINDTUNNEL_MUTATE_PLAN", "mutate", "The file with the mutants for a plug-in."),
    .init("PYTHONHASHSEED", "mutate", "0: Python's sets have the same order in each run."),
    .init("SSL_CERT_FILE", "drill, mutate", "The same, for OpenSSL, Go, Ruby and Python."),
    .init("CURL_CA_BUNDLE", "drill", "The same, for curl."),
    .init("REQUESTS_CA_BUNDLE", "drill", "The same, for Python's requests."),
    .init("AWS_CA_BUNDLE", "drill", "The same, for the AWS tools."),
    .init("DENO_CERT", "drill", "The same, for Deno."),
    .init("NODE_EXTRA_CA_CERTS", "drill", "The same, for Node."),
    .init("no_proxy", "drill", "*: libraries connect directly, without the machine's proxy."),
    .init("NO_PROXY", "drill", "The same, for programs that read this spelling."),
    .init("SWIFT_BACKTRACE", "drill")
      .means("enable=no: a crash is a result, so no backtrace is written."),
  ]
}
