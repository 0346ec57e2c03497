// A host's own program, as the tests of the drill start it.
import Foundation
import WindTunnelDrill

#if canImport(FoundationNetworking)
  import FoundationNetworking
#endif

if CommandLine.arguments.contains(FallingSubjects.word) {
  await ProcessDrill.runAsSubject(of: FallingSubjects.all.map { DrillSubject($0) })
}

let fallsOn = ProcessInfo.processInfo.environment["HOST_FALLS_ON"].flatMap { Int($0) }

await DrillMain(subject: "host") { [fallsOn] call in
  if call.index == fallsOn { raise(SIGILL) }
  let (data, response) = try await call.session.data(for: call.urlRequest)
  let status = (response as? HTTPURLResponse)?.statusCode ?? 0
  guard 200..<400 ~= status else { throw URLError(.badServerResponse) }
  return data
}.run()
