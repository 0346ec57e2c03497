/// The request of each call: the requests of the cassette in turn, or drawn by their weights.
///
/// Only the number of a call decides, not a clock or a thread. Every shard and every repetition
/// therefore makes the same calls.
package struct Workload: Sendable {
  /// Every request that calls make.
  let all: [Request]
  /// The endpoint of each request in `all`.
  private let endpoints: [String]
  /// The key of each request in `all`.
  private let keys: [RequestKey]
  /// The origins at which the requests were recorded, and the servers of the start.
  let authorities: [RequestURL]
  /// The start of an app on the cassette, or `nil` if it has none.
  let startup: RecordedStartup?
  /// The keys of the requests of an app's start. They are not attempts of a call.
  let startKeys: Set<String>
  /// The first recordings of conversations, by the key of the request that begins them.
  private let conversations: [RequestKey: Interaction]
  /// The parts by which requests are compared.
  let matcher: Matcher
  /// The cumulative weights of the requests. Empty if the requests are called in turn.
  private let sums: [Int]
  /// The requests of the first calls, before any is drawn.
  private let firsts: [Int]
  private let draws: Draws

  /// Creates a workload with each distinct request of a cassette, in recorded order.
  ///
  /// Calls use one base URL, which stands for the cassette's origin. This origin is the host of
  /// each call, so that a rule that matches a host sees the same host here and on the deck. Only a
  /// client with its own library holds conversations. Requests of a start are not calls, and
  /// neither are requests that only one version of its configuration leads to. If the number of
  /// calls is large enough to cover all requests, the first calls make each request once.
  package init(
    _ cassette: Cassette,
    mix: Mix = Mix(),
    seed: UInt64 = 1,
    matcher: Matcher,
    holdingConversations: Bool = false,
    coveringAllBy calls: Int? = nil
  ) {
    var seen: Set<RequestKey> = []
    let startup = cassette.startup
    let called = cassette.interactions.filter {
      guard holdingConversations || !$0.isConversation else { return false }
      return startup.map { [request = $0.request] in
        !$0.isProbe(request) && !$0.isForConfiguration(request) && !$0.isLedTo(request)
      } ?? true
    }
    let recorded = called.map(\.request)
    conversations = Dictionary(
      called.filter(\.isConversation).map { (matcher.key($0.request), $0) },
      uniquingKeysWith: { first, _ in first }
    )
    let origin = startup?.servers.first ?? Deck(cassette).origin
    let different = recorded.filter { seen.insert(matcher.key($0)).inserted }.map { request in
      origin.map { request.at($0) } ?? request
    }
    let weighed = different.map { ($0, mix.weight(of: $0)) }.filter { $0.1 > 0 }
    all = weighed.map(\.0)
    endpoints = all.map { "\($0.method) \($0.url.path)" }
    keys = all.map { matcher.key($0) }
    var sum = 0
    let sums = weighed.map { _, weight in
      sum += weight
      return sum
    }
    self.sums = weighed.contains { $0.1 != 1 } ? sums : []
    draws = Draws(seed: seed, scenario: "", lane: .deck, key: "mix", ordinal: 0, rule: "")
    let order = draws.apart(1)
    let covers = (calls ?? 0) >= all.count
    firsts = covers ? all.indices.sorted { order.bits($0) < order.bits($1) } : []
    var known: Set<String?> = []
    // A call can request its page from any server of a start.
    authorities = (recorded.map(\.url) + (startup?.servers ?? [])).filter {
      known.insert($0.origin).inserted
    }
    self.matcher = matcher
    self.startup = startup
    let startPaths = startup?.paths ?? []
    startKeys = Set(startPaths.map { matcher.key(Request("GET", RequestURL($0))).text })
  }

  /// Whether there is no request to call.
  package var isEmpty: Bool { all.isEmpty }

  /// Whether no call holds a conversation.
  var holdsNone: Bool { !keys.contains { conversations[$0] != nil } }

  /// Returns the request of a call.
  package func request(of call: Int) -> Request { all[place(of: call)] }

  /// Returns the endpoint of a call, such as `GET /home`.
  package func endpoint(of call: Int) -> String { endpoints[place(of: call)] }

  /// Returns the recording of the conversation that a call holds, or `nil` if it holds none.
  func conversation(of call: Int) -> Interaction? {
    // Most cassettes have no conversations, and this function runs for millions of calls.
    conversations.isEmpty ? nil : conversations[key(of: call)]
  }

  /// Returns the key of a call's request.
  func key(of call: Int) -> RequestKey { keys[place(of: call)] }

  private func place(of call: Int) -> Int {
    guard let total = sums.last else { return call % all.count }
    if call < firsts.count { return firsts[call] }
    let drawn = Int(draws.unit(call) * Double(total))
    return sums.firstIndex { drawn < $0 } ?? all.count - 1
  }

  /// Returns the requests with a key that a call can make: its own request or a redirected one, at
  /// any host of the cassette.
  func requests(of key: String, call: Int) -> [Request] {
    let own = request(of: call)
    if self.key(of: call).text == key { return [own] + authorities.map { own.at($0) } }
    let words = key.split(separator: " ", maxSplits: 1).map(String.init)
    guard words.count == 2 else { return [] }
    let request = Request(words[0], RequestURL(words[1]))
    return [request.at(own.url)] + authorities.map { request.at($0) }
  }

  /// Returns the lane of a call: its scenario and number.
  package static func lane(_ scenario: String, _ call: Int) -> Lane {
    Lane(scenario: scenario, call: call)
  }
}

extension Request {
  /// Returns the same request for another host.
  fileprivate func at(_ place: RequestURL) -> Request {
    var request = self
    request.url.scheme = place.scheme
    request.url.host = place.host
    request.url.port = place.port
    return request
  }
}

/// The weights of the requests among a drill's calls.
public struct Mix: Sendable, Hashable {
  /// The weight of a kind of request among the others.
  public struct Share: Sendable, Hashable {
    /// The requests that the weight applies to.
    public var request: RequestPattern
    /// The relative number of calls of each of these requests. 0 means no calls.
    public var weight: Int

    /// Creates a share from a pattern and a weight.
    public init(_ request: RequestPattern, weight: Int) {
      (self.request, self.weight) = (request, weight)
    }
  }

  /// The shares with their weights. The first share that matches a request decides. A request
  /// without a share has weight 1.
  public var shares: [Share]
  /// Whether only `GET` requests are called.
  public var isReadOnly: Bool

  /// Creates a mix. Without shares, each request of the cassette is called in turn.
  public init(_ shares: [Share] = [], isReadOnly: Bool = false) {
    (self.shares, self.isReadOnly) = (shares, isReadOnly)
  }

  /// The maximum weight of a share.
  public static let weightMax = 1_000_000

  /// Returns the weight of a request.
  func weight(of request: Request) -> Int {
    if isReadOnly, request.method != "GET" { return 0 }
    return shares.first { $0.request.matches(request) }?.weight ?? 1
  }
}

extension Mix.Share {
  /// Parses a share such as `GET /home=5`.
  ///
  /// - Returns: `nil` if there is no valid weight after the last equals sign.
  public init?(_ text: String) {
    guard let sign = text.lastIndex(of: "="), let weight = Int(text[text.index(after: sign)...]),
      0...Mix.weightMax ~= weight, sign != text.startIndex
    else { return nil }
    self.init(RequestPattern(String(text[..<sign])), weight: weight)
  }

  var text: String { "\(request)=\(weight)" }
}
