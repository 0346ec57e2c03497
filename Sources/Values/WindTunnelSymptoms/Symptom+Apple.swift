#if canImport(Darwin)
  internal import Foundation

  extension Symptom {
    /// CFNetwork's codes say all there is; its texts are localised and say no more.
    static func told(byPlatformCode code: URLError.Code, text: String) -> Symptom? { nil }

    func surfaced(for url: URL?) -> (URLError.Code, String) { (appleCode, rawValue) }
  }
#endif
