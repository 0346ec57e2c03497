internal import WindTunnelCommandLine
internal import WindTunnelServer

/// `--allow-origin`: pages of others that may ask a server, and names of others that it is asked by.
enum AllowOriginFlag {
  private static let name = "--allow-origin"

  static let flag = Flag(
    name,
    "URL",
    "Answer pages of this origin, too, and requests by its host; * is all."
  )

  static func policy(_ arguments: Arguments) throws(Refusal) -> OriginPolicy {
    OriginPolicy(
      allowing: try arguments.all(name).map { text throws(Refusal) in
        guard let allowed = OriginPolicy.Allowed(text) else {
          throw .value(name, text, shouldBe: "an origin such as https://app.example.com, null or *")
        }
        return allowed
      }
    )
  }
}
