public import WindTunnel

/// What is called how often.
public struct Mix: Sendable, Hashable {
  /// A kind of request and its weight among the others.
  public struct Share: Sendable, Hashable {
    /// Which requests.
    public var request: RequestPattern
    /// How often each of them is called, in comparison; 0 for never.
    public var weight: Int

    /// Makes a share.
    public init(_ request: RequestPattern, weight: Int) {
      (self.request, self.weight) = (request, weight)
    }
  }

  /// Who has which weight; the first that matches a request decides, and where none does it is 1.
  public var shares: [Share]
  /// Whether nothing but `GET` is called.
  public var isReadOnly: Bool

  /// Makes a mix; without shares each request of the cassette is called in turn.
  public init(_ shares: [Share] = [], isReadOnly: Bool = false) {
    (self.shares, self.isReadOnly) = (shares, isReadOnly)
  }

  /// The largest weight.
  public static let weightMax = 1_000_000

  /// How often a request is called.
  func weight(of request: Request) -> Int {
    if isReadOnly, request.method != "GET" { return 0 }
    return shares.first { $0.request.matches(request) }?.weight ?? 1
  }
}

extension Mix.Share {
  /// Reads `GET /home=5`.
  ///
  /// - Returns: `nil` where no weight stands behind the last equals sign.
  public init?(_ text: String) {
    guard let sign = text.lastIndex(of: "="), let weight = Int(text[text.index(after: sign)...]),
      0...Mix.weightMax ~= weight, sign != text.startIndex
    else { return nil }
    self.init(RequestPattern(String(text[..<sign])), weight: weight)
  }

  var text: String { "\(request)=\(weight)" }
}
