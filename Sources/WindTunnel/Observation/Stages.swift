extension Observation {
  /// How long the parts of an attempt took, as far as the server, the link or the transport knows: what
  /// only the client could tell is `nil`.
  public struct Stages: Sendable, Hashable {
    /// Looking the name up: the link's delay.
    public var dns: Duration?
    /// Opening the connection: the link's round trip and what it lost of it.
    public var connect: Duration?
    /// The TLS handshake.
    public var tls: Duration?
    /// From the request's first byte to its last.
    public var upload: Duration?
    /// From the request's last byte to the answer's first.
    public var firstByte: Duration?
    /// From the answer's first byte to its end, whole or cut.
    public var body: Duration?

    /// Makes them of nothing.
    public init() {}

    /// Makes them of those that a link knows.
    init(_ link: LinkPath.Stages) {
      (dns, connect, tls, upload) = (link.dns, link.connect, link.tls, link.upload)
    }

    /// Their names, in the order in which they happen.
    public static let names = ["dns", "connect", "tls", "upload", "firstByte", "body"]

    /// Those in front of the request's last byte, together.
    package var beforeAnswer: Duration {
      [dns, connect, tls, upload].reduce(.zero) { $0 + ($1 ?? .zero) }
    }

    /// All of them by name, in the order in which they happen.
    var all: [(name: String, length: Duration?)] {
      Array(zip(Self.names, [dns, connect, tls, upload, firstByte, body]))
    }
  }
}

extension Observation.Stages {
  /// What was seen, under its keys; `nil` where nothing was.
  package var json: JSON? {
    let seen = all.compactMap { name, length in
      length.map {
        JSON.Member(JSON.Text("\(name)Milliseconds"), .number($0.inMilliseconds, places: 3))
      }
    }
    return seen.isEmpty ? nil : .object(seen)
  }

  /// Reads them by themselves.
  package init(_ json: JSON) throws(FormatError) {
    try self.init(reading: ObjectReader(json, source: "a subject's process", path: "stages"))
  }

  init(reading object: ObjectReader) throws(FormatError) {
    var object = object
    dns = try object.offset("dnsMilliseconds")
    connect = try object.offset("connectMilliseconds")
    tls = try object.offset("tlsMilliseconds")
    upload = try object.offset("uploadMilliseconds")
    firstByte = try object.offset("firstByteMilliseconds")
    body = try object.offset("bodyMilliseconds")
    try object.refuseUnknownKeys()
  }
}
