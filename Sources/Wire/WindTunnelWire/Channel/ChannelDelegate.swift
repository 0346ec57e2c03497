/// The receiver of a channel's events.
///
/// It is called on the loop's thread and may use the channel in any way, including closing it.
package protocol ChannelDelegate: AnyObject {
  /// Called when a connect has succeeded.
  func channelConnected(_ channel: Channel)
  /// Called with received bytes. The memory belongs to the loop and is only valid during the call.
  func channel(_ channel: Channel, received bytes: UnsafeRawBufferPointer)
  /// Called when the peer has finished sending (FIN); it may continue reading.
  func channelReachedEnd(_ channel: Channel)
  /// Called when the system has accepted all output, after ``Channel/notifyWhenDrained()``.
  func channelDrained(_ channel: Channel)
  /// Called with plain text that was received instead of TLS. TLS has been removed from the
  /// channel.
  func channel(_ channel: Channel, gotPlainText bytes: UnsafeRawBufferPointer)
  /// Called once, as the last event, after the descriptor is closed, with the error that ended the
  /// channel, if any.
  func channelClosed(_ channel: Channel, _ error: SocketError?)
}

extension ChannelDelegate {
  package func channelConnected(_ channel: Channel) {}
  package func channelDrained(_ channel: Channel) {}
  package func channel(_ channel: Channel, gotPlainText bytes: UnsafeRawBufferPointer) {
    channel.close()
  }
}
