import Testing
import WindTunnelVirtualTime

extension Trait where Self == ConditionTrait {
  /// Skips in words what this system cannot do.
  static var onThisSystem: Self {
    .enabled(if: VirtualTime.isSupported, "Virtual time is not to be had on this system.")
  }
}
