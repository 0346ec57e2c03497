public import Foundation
internal import WindTunnel

/// An authority of its own that issues certificates to servers while they are asked for.
///
/// Its key is made with it, stays in memory and goes with it: a client that trusts the certificate
/// trusts nothing any more once the process has ended. Everything is on the curve P-256.
public final class CertificateAuthority: Sendable {
  /// The certificate as text (RFC 7468), for clients that are to trust it.
  public var pem: String { root.certificate.pem }
  /// The certificate in DER, as phones and key chains take it.
  public var der: Data { root.certificate.der }
  /// The name of the authority, such as `WindTunnel CA 1F4A92`: another name each time, so that one
  /// that is installed somewhere can be told from the next.
  public let name: String

  /// As many certificates are kept; a client can ask for any name it likes.
  static let cachedMax = 512

  private struct Shelf: Sendable {
    var identities: [Leaf: Identity] = [:]
    var order: [Leaf] = []
    var intermediate: Identity?
    var stranger: Identity?
  }

  let openSSL: OpenSSL
  private let root: Identity
  /// One key for all servers: making keys is most of the work, and nobody gains by their
  /// difference.
  private let serverKey: PrivateKey
  private let shelf = Locked(Shelf())

  /// Makes an authority.
  ///
  /// - Throws: `ServerError.tlsUnavailable` where there is no OpenSSL 3.
  public convenience init() throws(ServerError) { try self.init(OpenSSL.shared()) }

  init(_ openSSL: OpenSSL) throws(ServerError) {
    self.openSSL = openSSL
    name = "WindTunnel CA \(Self.mark())"
    serverKey = try PrivateKey(openSSL)
    root = try Self.authority(name, openSSL)
  }

  private static func mark() -> String {
    let digits = String(UInt32.random(in: 0..<1 << 24), radix: 16, uppercase: true)
    return String(repeating: "0", count: 6 - digits.count) + digits
  }

  private static func authority(
    _ name: String,
    by signer: Identity? = nil,
    _ openSSL: OpenSSL
  ) throws(ServerError) -> Identity {
    let key = try PrivateKey(openSSL)
    let draft = CertificateDraft.authority(name, signsAuthorities: signer == nil)
    let signer = signer.map { ($0.certificate, $0.key) }
    return Identity(
      certificate: try draft.signed(for: key, by: signer, openSSL),
      key: key,
      chain: []
    )
  }

  /// Writes the certificate, and only that, in one step.
  ///
  /// - Throws: `FileError.unwritable`.
  public func write(to file: URL) throws { try FileError.writing(Data(pem.utf8), to: file) }

  /// The certificate of a kind for a host, from the shelf or made now (a tenth of a millisecond).
  func identity(_ leaf: Leaf, for host: HostName?) throws(ServerError) -> Identity {
    var leaf = leaf
    if leaf.names.isEmpty {
      // However a client calls this machine, it finds the name that it used.
      let isOwn = host.map { HostName.own.contains($0) } ?? true
      leaf.names = isOwn ? HostName.own : [host].compactMap { $0 }
    }
    let order = leaf
    return try shelf.withLock { shelf throws(ServerError) in
      if let identity = shelf.identities[order] { return identity }
      let identity = try make(order, &shelf)
      if shelf.order.count == Self.cachedMax {
        shelf.identities[shelf.order.removeFirst()] = nil
      }
      shelf.identities[order] = identity
      shelf.order.append(order)
      return identity
    }
  }

  private func make(_ leaf: Leaf, _ shelf: inout Shelf) throws(ServerError) -> Identity {
    let signer: Identity?
    var chain: [Certificate] = []
    switch leaf.issuer {
    case .authority: signer = root
    case .itself: signer = nil
    case .intermediate:
      let link: Identity =
        if let made = shelf.intermediate { made } else {
          try Self.authority("\(name) Link", by: root, openSSL)
        }
      shelf.intermediate = link
      (signer, chain) = (link, [link.certificate])
    case .stranger:
      let stranger: Identity =
        if let made = shelf.stranger { made } else {
          try Self.authority("Stranger CA \(Self.mark())", openSSL)
        }
      shelf.stranger = stranger
      (signer, chain) = (stranger, [stranger.certificate])
    }
    var draft = CertificateDraft.server(leaf.names, leaf.validity)
    draft.isWeaklySigned = leaf.isWeaklySigned
    return Identity(
      certificate: try draft.signed(
        for: serverKey,
        by: signer.map { ($0.certificate, $0.key) },
        openSSL
      ),
      key: serverKey,
      chain: leaf.sendsChain ? chain : []
    )
  }
}
