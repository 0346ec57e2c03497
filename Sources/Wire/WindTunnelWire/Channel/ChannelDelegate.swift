/// The receiver of a channel's events.
///
/// Called on the loop's thread, and may do anything to the channel, closing it included.
package protocol ChannelDelegate: AnyObject {
  /// Called when a connect has succeeded.
  func channelConnected(_ channel: Channel)
  /// Called with bytes that arrived. The memory is the loop's and valid only during the call.
  func channel(_ channel: Channel, received bytes: UnsafeRawBufferPointer)
  /// Called when the peer sends no more (FIN); it may well go on reading.
  func channelReachedEnd(_ channel: Channel)
  /// Called when everything that was written is with the system: the answer to
  /// ``Channel/notifyWhenDrained()``.
  func channelDrained(_ channel: Channel)
  /// Called with plain text that arrived where TLS was expected; TLS is no longer spoken.
  func channel(_ channel: Channel, gotPlainText bytes: UnsafeRawBufferPointer)
  /// Called once, last, when the descriptor is closed, with the error that ended it or with none.
  func channelClosed(_ channel: Channel, _ error: SocketError?)
}

extension ChannelDelegate {
  package func channelConnected(_ channel: Channel) {}
  package func channelDrained(_ channel: Channel) {}
  package func channel(_ channel: Channel, gotPlainText bytes: UnsafeRawBufferPointer) {
    channel.close()
  }
}
