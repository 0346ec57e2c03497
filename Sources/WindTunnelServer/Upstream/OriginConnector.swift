internal import Foundation

/// A search for the first of an origin's addresses that takes a connection.
///
/// An address that the client must not be connected to is left out, and one that does not answer in
/// time gives the next a try. The connection that is tried keeps it. On the loop's thread only.
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

  private let reactor: Reactor
  private let seconds: Double
  private let engine: () throws(SocketError) -> TLSEngine?
  private let refusal: (SocketAddress) -> AddressRefusal?
  private let completed: (Completion) -> Void
  private var addresses: [SocketAddress]
  private var firstRefusal: AddressRefusal?
  private var failure: SocketError?
  private var channel: Channel?
  private var timer: Reactor.Timer?
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
    refusal: @escaping (SocketAddress) -> AddressRefusal?,
    completed: @escaping (Completion) -> Void
  ) {
    (self.addresses, self.reactor, self.seconds) = (addresses, reactor, seconds)
    (self.engine, self.refusal, self.completed) = (engine, refusal, completed)
  }

  /// Tries the first address.
  func begin() { connectNext(after: nil) }

  /// Ends the search without a word.
  func cancel() {
    isOver = true
    drop()
  }

  private func connectNext(after error: SocketError?) {
    note(error)
    while !addresses.isEmpty {
      let address = addresses.removeFirst()
      if let refusal = refusal(address) {
        firstRefusal = firstRefusal ?? refusal
        continue
      }
      do throws(SocketError) {
        let engine = try engine()
        channel = try Channel(connectingTo: address, on: reactor, tls: engine, delegate: self)
        return limit(address)
      } catch {
        note(error)
      }
    }
    complete(firstRefusal.map { .forbidden($0) } ?? .failed(failure))
  }

  /// Keeps the first error that says something of the origin: there may be no way at all to an
  /// address of the other family.
  private func note(_ error: SocketError?) {
    guard let error else { return }
    if failure == nil || failure?.kind == .unreachable { failure = error }
  }

  private func limit(_ address: SocketAddress) {
    timer = reactor.schedule(after: Int64(nanosecondsOf: seconds)) { [weak self] _ in
      guard let self, !isOver else { return }
      timer = nil
      drop()
      connectNext(after: SocketError(.connect, ETIMEDOUT, address))
    }
  }

  private func complete(_ completion: Completion) {
    isOver = true
    channel = nil
    stopTimer()
    completed(completion)
  }

  private func drop() {
    stopTimer()
    let dead = channel
    channel = nil
    dead?.delegate = nil
    dead?.abandon()
  }

  private func stopTimer() {
    if let timer { reactor.cancel(timer) }
    timer = nil
  }
}

extension OriginConnector: ChannelDelegate {
  func channelConnected(_ channel: Channel) { complete(.connected(channel)) }

  // Nothing is said before the connection is there.
  func channel(_ channel: Channel, received bytes: UnsafeRawBufferPointer) {}

  func channelReachedEnd(_ channel: Channel) { complete(.reachedEnd(channel)) }

  func channelClosed(_ channel: Channel, _ error: SocketError?) {
    guard !isOver else { return }
    self.channel = nil
    stopTimer()
    if let error, error.operation == .connect {
      connectNext(after: error)
    } else {
      complete(.closed(error))
    }
  }
}
