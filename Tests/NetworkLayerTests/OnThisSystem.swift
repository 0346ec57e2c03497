import Testing
import WindTunnelVirtualTime

extension Trait where Self == ConditionTrait {
  /// Runs a test where virtual time is to be had.
  static var onThisSystem: Self {
    .enabled(if: VirtualTime.isSupported, "Virtual time is not to be had here.")
  }
}
