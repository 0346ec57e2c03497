/// A variable of the environment that this package reads, or sets for programs that it starts.
struct EnvironmentVariable {
  /// The name; `NAME` in it stands for another one.
  var name: String
  /// The reader of the variable, or who sets it.
  var user: String
  /// The meaning of its value.
  var meaning: String

  private init(_ name: String, _ user: String, _ meaning: String = "") {
    (self.name, self.user, self.meaning) = (name, user, meaning)
  }

  /// Returns the variable with the meaning of its value.
  private func means(_ meaning: String) -> Self { Self(name, user, meaning) }

  /// Those that are read, those of the command line first.
  static let read: [EnvironmentVariable] = [
    .init("WINDTUNNEL_SHARD", "drill --shard env")
      .means("The part to fly, such as 3/8; of the others none counts beside it."),
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
      "all that speaks TLS, and sealed files",
      "The folder to load OpenSSL from."
    ),
    .init("NO_COLOR", "drill, report", "Any value: no colours on a terminal."),
    .init("TERM", "drill, report", "dumb: no colours on a terminal."),
    .init("SOURCE_DATE_EPOCH", "drill", "The date in reports, in seconds since 1970."),
    .init("GITHUB_ACTIONS", "drill, report", "true: what fails is shown beside the run, too."),
    .init("PATH", "drill, record", "The folders in which the program behind -- is looked for."),
    .init("WINDTUNNEL_RECORD", "tests")
      .means("The mode of recording: none, once, new-episodes, rewrite or verify."),
    .init("CI", "tests", "Any value: nothing is recorded, unless WINDTUNNEL_RECORD says so."),
    .init("WINDTUNNEL_CASSETTES", "tests", "The folder of the cassettes."),
    .init("WINDTUNNEL_DATES", "tests", "1: recordings keep the day on which they were made."),
    .init("WINDTUNNEL_SECRET_NAME", "tests that verify")
      .means(
        "The value that stands for REDACTED-name-1, -2 and so on; with _2 behind it, for the second alone."
      ),
    .init("WINDTUNNEL_MUTATE", "tests", "The log of windtunnel mutate, to which tests append."),
    .init("TMPDIR", "servers", "The folder of large contents while they are read."),
  ]

  /// Those that a program is told by when it is started.
  static let set: [EnvironmentVariable] = [
    .init("WINDTUNNEL_URL", "drill, record, mutate", "The address to ask: {url}."),
    .init("WINDTUNNEL_BASE", "drill", "The address without a path: {base}."),
    .init("WINDTUNNEL_ORIGINS", "drill")
      .means(
        "The addresses of the servers of a start, with spaces between them, the nearest first: {origins}."
      ),
    .init("WINDTUNNEL_KEPT", "drill")
      .means(
        "The file of the configuration that an app has kept of its last launch, a copy for each call: {kept}."
      ),
    .init("WINDTUNNEL_METHOD", "drill", "The method of the call: {method}."),
    .init("WINDTUNNEL_CALL", "drill", "The number of the call, from 0: {call}."),
    .init("WINDTUNNEL_BODY", "drill", "The content to send, where there is some: {body}."),
    .init("WINDTUNNEL_HEADERS", "drill", "The fields to send, a line each."),
    .init("WINDTUNNEL_CA", "drill")
      .means("The file of the authority to trust, where it is asked by TLS: {ca}."),
    .init("WINDTUNNEL_MUTATE_PLAN", "mutate", "The file by which a plug-in runs mutants."),
    .init("PYTHONHASHSEED", "mutate", "0: sets have the same order in each run."),
    .init("SSL_CERT_FILE", "drill, mutate", "The same, for OpenSSL, Go, Ruby and Python."),
    .init("CURL_CA_BUNDLE", "drill", "The same, for curl."),
    .init("REQUESTS_CA_BUNDLE", "drill", "The same, for Python's requests."),
    .init("AWS_CA_BUNDLE", "drill", "The same, for the AWS tools."),
    .init("DENO_CERT", "drill", "The same, for Deno."),
    .init("NODE_EXTRA_CA_CERTS", "drill", "The same, for Node."),
    .init("no_proxy", "drill", "*: a proxy of the machine's does not stand between (libraries)."),
    .init("NO_PROXY", "drill", "The same, for programs that read it so."),
    .init("SWIFT_BACKTRACE", "drill")
      .means("enable=no: a crash is a result, and its trace is not waited for."),
  ]
}
