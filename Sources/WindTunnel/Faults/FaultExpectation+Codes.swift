internal import Foundation
internal import WindTunnelSymptoms

extension FaultExpectation {
  /// The code of the `URLError` that a `URLSession` on Linux ends with; `nil` where it ends with none.
  ///
  /// Told by curl's code: swift-corelibs-foundation knows few of them, and makes -1
  /// (`URLError.unknown`) of all others.
  public var linuxCode: Int? {
    guard case .failure(let symptom) = linux else { return nil }
    return switch curl.first {
    case 1: -1002
    case 6: -1003
    // It asks for ECONNREFUSED; that there is no way to the address is nothing it knows.
    case 7: symptom == .connectionRefused ? -1004 : -1
    case 28: -1001
    case 47: -1007
    case 52: -1011
    case 56: symptom == .connectionLost ? -1005 : -1
    default: -1
    }
  }

  /// The code of the `URLError` that a `URLSession` of Apple's ends with; `nil` where it ends with
  /// none.
  public var appleCode: Int? {
    guard case .failure(let symptom) = apple else { return nil }
    return symptom.appleCode.rawValue
  }
}
