internal import Foundation

/// A search for the first of an origin's addresses that takes a connection (RFC 8305, "Happy
/// Eyeballs").
///
/// Addresses are tried in the order given, the families by turns (§4). The next one is tried when
/// one has failed, or has taken a quarter of a second (§5); the others are tried on, and the first
/// that takes a connection keeps it. An address that the client must not be connected to is left
/// out. On the loop's thread only.
final class OriginConnector {
  /// The result of the search.
  enum Completion {
    /// The connection is there, and its receiver's from here on.
    case connected(Channel)
    /// The origin took the connection and has ended its side of it before it was ready.
    case reachedEnd(Channel)
    /// The origin took the connection and has closed it before it was ready.
    case closed(SocketError?)
    /// No address took a connection; `nil`: there was none.
    case failed(SocketError?)
    /// The client must not be connected to the address that came first of such, and no other took a
    /// connection.
    case forbidden(AddressRefusal)
  }

  /// One address that is tried, for as long as it may take.
  private struct Attempt {
    var channel: Channel
    var limit: Reactor.Timer
  }

  /// The time that an address has before the next one is tried beside it (RFC 8305 §8, "Connection
  /// Attempt Delay").
  private static let headStartNanoseconds: Int64 = 250_000_000

  private let reactor: Reactor
  private let seconds: Double
  private let engine: () throws(SocketError) -> TLSEngine?
  private let refusal: (SocketAddress) -> AddressRefusal?
  private let completed: (Completion) -> Void
  /// The addresses that were not tried yet.
  private var addresses: ArraySlice<SocketAddress>
  private var attempts: [Attempt] = []
  private var headStart: Reactor.Timer?
  private var firstRefusal: AddressRefusal?
  private var failure: SocketError?
  /// The end of a connection that was taken and not kept, while another address was tried.
  private var lost: Completion?
  private var isOver = false

  /// Makes a search.
  ///
  /// - Parameters:
  ///   - addresses: The addresses, in the order in which they are tried.
  ///   - reactor: The loop that it happens on.
  ///   - seconds: The limit for one address, the TLS handshake included.
  ///   - engine: Makes an end of TLS for a connection; `nil` for a plain one.
  ///   - refusal: Returns why the client must not be connected to an address.
  ///   - completed: Called once, unless the search is cancelled before.
  init(
    to addresses: [SocketAddress],
    on reactor: Reactor,
    within seconds: Double,
    engine: @escaping () throws(SocketError) -> TLSEngine?,
    refusal: @escaping (SocketAddress) -> AddressRefusal? = { _ in nil },
    completed: @escaping (Completion) -> Void
  ) {
    self.addresses = Self.byTurns(addresses)[...]
    (self.reactor, self.seconds) = (reactor, seconds)
    (self.engine, self.refusal, self.completed) = (engine, refusal, completed)
  }

  /// Tries the first address.
  func begin() { tryNext() }

  /// Ends the search without a word.
  func cancel() { end(keeping: nil) }

  /// Returns addresses with their families by turns, beginning with that of the first: where there
  /// is no way to one family, that costs one head start and not one for each of its addresses.
  static func byTurns(_ addresses: [SocketAddress]) -> [SocketAddress] {
    guard let family = addresses.first?.family else { return [] }
    var lines = [
      addresses.filter { $0.family == family }, addresses.filter { $0.family != family },
    ]
    var order: [SocketAddress] = []
    while order.count < addresses.count {
      for line in lines.indices where !lines[line].isEmpty {
        order.append(lines[line].removeFirst())
      }
    }
    return order
  }

  private func tryNext() {
    stopHeadStart()
    while let address = addresses.popFirst() {
      if let refusal = refusal(address) {
        firstRefusal = firstRefusal ?? refusal
        continue
      }
      do throws(SocketError) {
        let engine = try engine()
        let channel = try Channel(connectingTo: address, on: reactor, tls: engine, delegate: self)
        attempts.append(Attempt(channel: channel, limit: limit(of: channel, to: address)))
        return giveHeadStart()
      } catch {
        note(error)
      }
    }
    guard attempts.isEmpty else { return }
    complete(lost ?? firstRefusal.map { .forbidden($0) } ?? .failed(failure))
  }

  private func giveHeadStart() {
    if addresses.isEmpty { return }
    headStart = reactor.schedule(after: Self.headStartNanoseconds) { [weak self] _ in
      guard let self, !isOver else { return }
      headStart = nil
      tryNext()
    }
  }

  private func stopHeadStart() {
    if let headStart { reactor.cancel(headStart) }
    headStart = nil
  }

  private func limit(of channel: Channel, to address: SocketAddress) -> Reactor.Timer {
    reactor.schedule(after: Int64(nanosecondsOf: seconds)) { [weak self, weak channel] _ in
      guard let self, !isOver, let channel else { return }
      channel.delegate = nil
      channel.abandon()
      failed(channel, SocketError(.connect, ETIMEDOUT, address))
    }
  }

  /// Notes that an address took no connection, and does not wait to try the next one.
  private func failed(_ channel: Channel, _ error: SocketError) {
    remove(channel)
    note(error)
    tryNext()
  }

  private func remove(_ channel: Channel) {
    for attempt in attempts where attempt.channel === channel { reactor.cancel(attempt.limit) }
    attempts.removeAll { $0.channel === channel }
  }

  /// Ends the search with a connection that was taken and has ended before it was ready; while
  /// another address is tried, that one may do better.
  private func ended(_ channel: Channel, _ completion: Completion, without error: SocketError?) {
    guard attempts.count > 1 else { return complete(completion, with: channel) }
    remove(channel)
    channel.delegate = nil
    channel.abandon()
    lost = lost ?? .closed(error)
    tryNext()
  }

  /// Keeps the first error that says something of the origin: there may be no way at all to an
  /// address of the other family.
  private func note(_ error: SocketError) {
    if failure == nil || failure?.kind == .unreachable { failure = error }
  }

  private func complete(_ completion: Completion, with channel: Channel? = nil) {
    end(keeping: channel)
    completed(completion)
  }

  private func end(keeping kept: Channel?) {
    isOver = true
    stopHeadStart()
    let ended = attempts
    attempts = []
    for attempt in ended {
      reactor.cancel(attempt.limit)
      if attempt.channel === kept { continue }
      attempt.channel.delegate = nil
      attempt.channel.abandon()
    }
  }
}

extension OriginConnector: ChannelDelegate {
  func channelConnected(_ channel: Channel) { complete(.connected(channel), with: channel) }

  // Nothing is said before the connection is there.
  func channel(_ channel: Channel, received bytes: UnsafeRawBufferPointer) {}

  func channelReachedEnd(_ channel: Channel) {
    ended(channel, .reachedEnd(channel), without: nil)
  }

  func channelClosed(_ channel: Channel, _ error: SocketError?) {
    guard !isOver else { return }
    if let error, error.operation == .connect {
      failed(channel, error)
    } else {
      ended(channel, .closed(error), without: error)
    }
  }
}
