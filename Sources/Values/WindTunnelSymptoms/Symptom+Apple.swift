#if canImport(Darwin)
  internal import Foundation

  extension Symptom {
    /// Always `nil`: CFNetwork's codes are complete, and its texts are localised and add nothing.
    static func told(byPlatformCode code: URLError.Code, text: String) -> Symptom? { nil }

    func surfaced(for url: URL?) -> (URLError.Code, String) { (appleCode, rawValue) }
  }
#endif
