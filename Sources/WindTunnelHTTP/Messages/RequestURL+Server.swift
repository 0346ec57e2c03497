extension RequestURL {
  /// The path of what is asked about a server as a whole.
  static let wholeServerPath = "*"

  /// Reads what a method asks for.
  ///
  /// `OPTIONS` of `*`, or of an address without path and query, asks about the server as a whole
  /// (RFC 9112 §3.2.4): its path is `*`, and no other request's is.
  public init(_ text: String, askedBy method: String) {
    self.init(text)
    guard method == "OPTIONS", query == nil, path == "/" || path == "/*" else { return }
    let authority = host == nil ? nil : text.firstRange(of: "://")?.upperBound
    let isWhole = authority.map { !text[$0...].contains("/") } ?? (text == Self.wholeServerPath)
    if isWhole { path = Self.wholeServerPath }
  }

  /// Whether a server as a whole is asked about.
  public var isWholeServer: Bool { path == Self.wholeServerPath }
}
