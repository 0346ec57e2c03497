import TestSupport
import WindTunnelFindings

/// The rules that compare what attempts sent, from their three sides: broken, kept, and not met.
@Suite struct RulesOfSentTests {
  private typealias Sent = Observation.Sent

  private static func sent(_ change: (inout Sent) -> Void) -> Sent {
    var sent = Sent()
    change(&sent)
    return sent
  }

  /// A POST; a key of the header's makes it one that may come twice.
  private static func post(
    _ start: Int,
    _ status: Int? = 200,
    _ error: String? = nil,
    _ change: (inout Sent) -> Void
  ) -> Observation.Attempt {
    let sent = sent(change)
    var attempt = RuleTests.attempt(
      start,
      to: start + 3,
      status: status,
      error: error,
      key: "POST /payments",
      isRepeatable: sent.key != nil
    )
    attempt.sent = sent
    return attempt
  }

  private static func words(_ rule: String, _ calls: [Observation.Attempt]...) throws -> String {
    try RuleTests.words(
      rule,
      calls.enumerated().map { number, attempts in
        let isDone = attempts.allSatisfy(\.isAnswered)
        return RuleTests.call(number, isDone ? .succeeded : .failed("status 503"), attempts)
      },
      of: .program
    )
  }

  @Test func `only the same content is the same deed`() throws {
    let rule = "repeats-post"
    let first = Self.post(0, 500) { $0.content = 1 }
    let other = Self.post(503) { $0.content = 2 }
    try expectEqual(Self.words(rule, [first, other]), "kept by 1")
    let late = Self.post(900) { $0.content = 1 }
    let found = "error 0: After a 500 it sent POST /payments again, 897 ms later. (1 of 1 call)"
    try expectEqual(Self.words(rule, [first, other, late]), found)
    try expectEqual(Self.words(rule, [first, late]), found)
  }

  @Test func `a key that stays makes it right, and one that changes does not`() throws {
    let rule = "repeats-post"
    func call(_ key: Int?, _ next: Int?, _ status: Int? = 500, _ error: String? = nil) throws
      -> String
    {
      try Self.words(
        rule,
        [
          Self.post(0, status, error) { ($0.content, $0.key) = (1, key) },
          Self.post(503) { ($0.content, $0.key) = (1, next) },
        ]
      )
    }
    try expectEqual(call(5, 5), "kept by 1")
    try expectEqual(
      call(5, 6),
      "error 0: After a 500 it sent POST /payments again, 500 ms later, and the "
        + "Idempotency-Key had changed. (1 of 1 call)"
    )
    #expect(try call(5, 6, 503).hasPrefix("warning 0"))
    // It was not done.
    for status in [401, 408, 425, 429] { try expectEqual(call(5, 6, status), "not met") }
    #expect(try call(nil, nil, nil, "connectionLost").hasPrefix("error 0"))
  }

  @Test func `what only the attempts of one call bear is a key, too`() throws {
    let rule = "repeats-post"
    func call(_ marks: [Int], _ next: [Int]) -> [Observation.Attempt] {
      [
        Self.post(0, 500) { ($0.content, $0.marks) = (1, marks) },
        Self.post(503) { ($0.content, $0.marks) = (1, next) },
      ]
    }
    try expectEqual(Self.words(rule, call([7], [8, 7])), "kept by 1")
    #expect(try Self.words(rule, call([7], [8])).hasPrefix("error 0"))
    let good = [Self.post(0) { $0.marks = [9] }]
    // Another call bears the 9, so it tells none from the other.
    #expect(try Self.words(rule, call([9], [9]), good).hasPrefix("error 0"))
    try expectEqual(Self.words(rule, call([7, 9], [7, 9]), good), "kept by 1")
    // In whichever order calls are seen.
    #expect(try Self.words(rule, good, call([9], [9])).hasPrefix("error 1"))
  }

  @Test func `a deed with a new time or random value is the same deed`() throws {
    let rule = "repeats-post"
    func call(_ next: Int?, marks: [Int] = [], _ own: [Int] = []) -> [Observation.Attempt] {
      [
        Self.post(0, 500) { ($0.content, $0.deed, $0.marks) = (1, 7, own) },
        Self.post(503) { ($0.content, $0.deed, $0.marks) = (2, next, marks) },
      ]
    }
    let single = [Self.post(0) { ($0.content, $0.deed) = (3, 4) }]
    let found =
      "error 0: After a 500 it sent POST /payments again, 500 ms later, with another time or "
      + "random value in its body. (1 of 1 call)"
    try expectEqual(Self.words(rule, call(7, marks: [5], [6]), single), found)
    // Requests that differ in a time alone may be two readings.
    try expectEqual(Self.words(rule, call(7), single), "kept by 1")
    // Another order, a value that stays, and a value that another call sends, too.
    try expectEqual(Self.words(rule, call(8), single), "kept by 1")
    try expectEqual(Self.words(rule, call(nil), single), "kept by 1")
    try expectEqual(Self.words(rule, call(7, marks: [5], [5]), single), "kept by 1")
    let again = [Self.post(0) { ($0.content, $0.marks) = (3, [5]) }]
    try expectEqual(Self.words(rule, call(7, marks: [5], [6]), single, again), "kept by 1")
    // Nothing shows that a call sends it once.
    let drawn = call(7, marks: [5], [6])
    try expectEqual(Self.words(rule, drawn), "kept by 1")
    try expectEqual(Self.words(rule, drawn, single + single), "kept by 1")
    let cut = single + [Self.post(9, nil, "connectionLost") { _ in }]
    #expect(try !Self.words(rule, drawn, cut).hasPrefix("error 0"))
  }

  @Test func `a submit that is sent again while the first is open is done twice`() throws {
    let rule = "repeats-post"
    func call(_ start: Int, key: Int? = nil, marks: [Int] = []) -> [Observation.Attempt] {
      var first = Self.post(0) { ($0.content, $0.key, $0.marks) = (1, key, marks) }
      first.end = .milliseconds(2000)
      return [first, Self.post(start) { ($0.content, $0.key, $0.marks) = (1, key, marks) }]
    }
    try expectEqual(
      Self.words(rule, call(500)),
      "error 0: It sent POST /payments 500 ms after the first, which was still open. (1 of 1 call)"
    )
    // What can be told to be one is done once.
    try expectEqual(Self.words(rule, call(500, key: 5)), "not met")
    try expectEqual(Self.words(rule, call(500, marks: [7])), "not met")
    // Parts of a call that begin at once.
    try expectEqual(Self.words(rule, call(30)), "not met")
    // The call itself is one submit.
    var twice = RuleTests.call(0, call(0))
    twice.endpoint = "POST /payments"
    let sent = "error 0: It sent POST /payments 0.0 ms after the first, which was still open."
    #expect(try RuleTests.words(rule, [twice], of: .program) == sent + " (1 of 1 call)")
    try expectEqual(RuleTests.words(rule, [twice], of: .proxied), "not met")
    // Two threads of a server see an end and a start in any order.
    try expectEqual(Self.words(rule, call(1990)), "not met")
    try expectEqual(Self.words(rule, call(2100)), "not met")
    // One that has left does not know what became of it.
    var left = call(900)
    (left[0].end, left[0].bytesSent) = (.milliseconds(800), 0)
    try expectEqual(
      Self.words(rule, left),
      "error 0: After no response it sent POST /payments again, 100 ms later. (1 of 1 call)"
    )
    left[0].bytesSent = 20
    try expectEqual(Self.words(rule, left), "not met")
  }

  @Test func `a key stands for one content`() throws {
    let rule = "repeats-post"
    func call(_ content: Int?, _ key: Int? = 5) -> [Observation.Attempt] {
      [
        Self.post(0, 500) { ($0.content, $0.key) = (1, 5) },
        Self.post(503) { ($0.content, $0.key) = (content, key) },
      ]
    }
    try expectEqual(
      Self.words(rule, call(2)),
      "error 0: It sent POST /payments again under the same Idempotency-Key, but with another "
        + "body. (1 of 1 call)"
    )
    for good in [call(1), call(nil), call(2, 6)] {
      try expectEqual(Self.words(rule, good), "kept by 1")
    }
  }

  private static func hop(
    _ start: Int,
    _ status: Int = 200,
    elsewhere: Bool = false,
    _ credentials: [Int]
  ) -> Observation.Attempt {
    var attempt = RuleTests.attempt(
      start,
      to: start + 3,
      status: status,
      faults: status == 302 ? #"{"answer":"redirectElsewhere"}"# : nil
    )
    attempt.sent = sent { ($0.isElsewhere, $0.credentials) = (elsewhere, credentials) }
    return attempt
  }

  @Test func `a credential goes to no other host`() throws {
    let rule = "sends-credential-elsewhere"
    let found =
      "error 0: It was redirected to another host, and sent its credential there. (1 of 1 call)"
    try expectEqual(
      Self.words(rule, [Self.hop(0, 302, [1]), Self.hop(9, elsewhere: true, [1])]),
      found
    )
    let two = [Self.hop(0, 302, [1, 2]), Self.hop(9, elsewhere: true, [2])]
    try expectEqual(Self.words(rule, two), found)
    for credentials in [[], [3]] {
      let good = [Self.hop(0, 302, [1]), Self.hop(9, elsewhere: true, credentials)]
      try expectEqual(Self.words(rule, good), "kept by 1")
    }
    // What an API made up is known to its caller alone.
    var keys = [Self.hop(0, 302, []), Self.hop(9, elsewhere: true, [])]
    for place in keys.indices { keys[place].sent?.apiKeys = [4] }
    try expectEqual(
      Self.words(rule, keys),
      "warning 0: It was redirected to another host, and sent its API key there. (1 of 1 call)"
    )
    for other in [
      [Self.hop(0, 302, []), Self.hop(9, elsewhere: true, [1])], [Self.hop(0, 302, [1])],
      [Self.hop(0, 302, [1]), Self.hop(9, 200, [1])],
      // By another name of its own accord.
      [Self.hop(0, 503, [1]), Self.hop(9, elsewhere: true, [1])],
    ] {
      try expectEqual(Self.words(rule, other), "not met")
    }
  }

  /// A hop by https, which is redirected to http, or one behind it.
  private static func hop(
    _ start: Int,
    secure: Bool,
    _ credentials: [Int] = [],
    keys: [Int] = [],
    answer: String? = "redirectToHTTP"
  ) -> Observation.Attempt {
    var attempt = RuleTests.attempt(
      start,
      to: start + 3,
      status: secure && answer != nil ? 302 : 200,
      faults: secure ? answer.map { #"{"answer":"\#($0)"}"# } : nil
    )
    attempt.sent = sent {
      ($0.isSecure, $0.credentials, $0.apiKeys) = (secure, credentials, keys)
    }
    return attempt
  }

  @Test func `a redirect out of TLS is not followed, least of all with a credential`() throws {
    let rule = "follows-to-plain-http"
    let found = { (words: String) in
      "\(words) (1 of 1 call)"
    }
    let heard = found("error 0: It was redirected from https to http, and sent its credential.")
    for hops in [
      [Self.hop(0, secure: true, [1, 2]), Self.hop(9, secure: false, [2])],
      [Self.hop(0, secure: true, keys: [4]), Self.hop(9, secure: false, keys: [4])],
    ] {
      try expectEqual(Self.words(rule, hops), heard)
    }
    let followed = found("note 0: It was redirected from https to http, and followed.")
    for (first, second) in [([], []), ([1], []), ([1], [3]), ([], [1])] {
      let hops = [Self.hop(0, secure: true, first), Self.hop(9, secure: false, second)]
      try expectEqual(Self.words(rule, hops), followed)
    }
    // It stays where it was, or asks there again.
    try expectEqual(Self.words(rule, [Self.hop(0, secure: true, [1])]), "kept by 1")
    let again = [Self.hop(0, secure: true, [1]), Self.hop(9, secure: true, [1], answer: nil)]
    try expectEqual(Self.words(rule, again), "kept by 1")
    for other in [
      // Nothing was under TLS, or redirected, or it was to another place.
      [Self.hop(0, 302, [1]), Self.hop(9, 200, [1])],
      [Self.hop(0, secure: true, [1], answer: nil), Self.hop(9, secure: false, [1])],
      [
        Self.hop(0, secure: true, [1], answer: "redirectElsewhere"),
        Self.hop(9, secure: false, [1]),
      ],
    ] {
      try expectEqual(Self.words(rule, other), "not met")
    }
    // No library's calls begin under TLS.
    let library = [Self.hop(0, secure: true, [1]), Self.hop(9, secure: false, [1])]
    let calls = [RuleTests.call(0, library)]
    try expectEqual(RuleTests.words(rule, calls, of: .library), "not met")
    #expect(try RuleTests.words(rule, calls, of: .service).hasPrefix("error 0: "))
  }

  @Test func `a handshake that failed is no reason to ask without TLS`() throws {
    let rule = "follows-to-plain-http"
    let refused = RuleTests.attempt(
      0,
      to: 1,
      status: nil,
      error: "serverCertificateHasBadDate",
      key: "connection",
      faults: #"{"tls":"expired"}"#,
      take: "connection"
    )
    func plain(_ credentials: [Int], keys: [Int] = []) -> Observation.Attempt {
      Self.hop(9, secure: false, credentials, keys: keys, answer: nil)
    }
    let heard =
      "error 0: The TLS handshake failed, and it sent its credential by plain HTTP. (1 of 1 call)"
    try expectEqual(Self.words(rule, [refused, plain([1])]), heard)
    try expectEqual(Self.words(rule, [refused, plain([], keys: [2])]), heard)
    try expectEqual(
      Self.words(rule, [refused, plain([])]),
      "warning 0: The TLS handshake failed, and it sent the request by plain HTTP. (1 of 1 call)"
    )
    try expectEqual(Self.words(rule, [refused, refused]), "kept by 1")
    let secure = Self.hop(9, secure: true, [1], answer: nil)
    try expectEqual(Self.words(rule, [refused, secure]), "kept by 1")
    let redirected = [refused, Self.hop(9, secure: true, [1]), plain([])]
    try expectEqual(
      Self.words(rule, redirected),
      "note 0: It was redirected from https to http, and followed. (1 of 1 call)"
    )
    // Nobody knows how a request came that did not come whole.
    let cut = RuleTests.attempt(9, to: 12, status: nil, error: "connectionLost")
    try expectEqual(Self.words(rule, [refused, cut]), "kept by 1")
    // A bad certificate is accepted by who asks under it, and not by who asks without it.
    let good = RuleTests.call(1, .succeeded, [Self.hop(0, secure: true, [1], answer: nil)])
    for (last, words) in [
      (secure, "error 0: It sent its request although the handshake showed"),
      (plain([1]), "kept by 1"),
    ] {
      var last = last
      last.isUnderBadCertificate = true
      let found = try RuleTests.words(
        "accepts-bad-certificate",
        [RuleTests.call(0, [refused, last]), good],
        of: .program
      )
      #expect(found.hasPrefix(words), "\(found)")
    }
  }

  @Test func `a credential that was refused is not tried again`() throws {
    let rule = "repeats-refused-credential"
    try expectEqual(
      Self.words(rule, [Self.hop(0, 401, [1]), Self.hop(9, 401, [1])]),
      "warning 0: After 401 it sent the request 1 more time with the same credential. (1 of 1 call)"
    )
    let thrice = [0, 9, 19].map { Self.hop($0, 401, []) }
    try expectEqual(
      Self.words(rule, thrice),
      "error 0: After 401 it sent the request 2 more times without a credential. (1 of 1 call)"
    )
    try expectEqual(Self.words(rule, [Self.hop(0, 401, [1]), Self.hop(9, 200, [2])]), "kept by 1")
    try expectEqual(Self.words(rule, [Self.hop(0, 401, [])]), "kept by 1")
    try expectEqual(Self.words(rule, [Self.hop(0, 503, [1]), Self.hop(9, 200, [1])]), "not met")
    // It signed in again, and the tape has one token to give.
    let login = RuleTests.attempt(5, to: 7, key: "POST /login")
    let renewed = [Self.hop(0, 401, [1]), login, Self.hop(9, 401, [1])]
    try expectEqual(Self.words(rule, renewed), "kept by 1")
    // Another call may have signed in for it.
    let living = [RuleTests.call([Self.hop(0, 401, [1]), Self.hop(9, 401, [1])])]
    try expectEqual(RuleTests.words(rule, living, of: .service), "kept by 1")
  }

  @Test func `a secret does not stand in a URL`() throws {
    let rule = "puts-secret-in-url"
    func call(_ names: [String]) -> [Observation.Attempt] {
      var attempt = RuleTests.attempt(0, to: 3)
      attempt.sent = Self.sent { ($0.addsParameters, $0.secretParameters) = (true, names) }
      return [attempt]
    }
    try expectEqual(
      Self.words(rule, call(["token"]), call([])),
      "warning 0: It added token to the query of its URL. (1 of 2 calls)"
    )
    try expectEqual(Self.words(rule, call([])), "kept by 1")
    try expectEqual(Self.words(rule, [RuleTests.attempt(0, to: 3)]), "not met")
    // It is not on the cassette because of what was added.
    var strange = RuleTests.call(0, call(["token"]))
    strange.notOnCassette = "GET /home"
    #expect(try RuleTests.words(rule, [strange]).hasPrefix("warning 0"))
  }
}
