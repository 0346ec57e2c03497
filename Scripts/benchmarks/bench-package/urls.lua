-- Asks for /items/0 to /items/N-1, one after the other and round again. The requests are written
-- down before the first is sent.
local requests = {}
local place = 0

function init(args)
  for index = 0, tonumber(args[1]) - 1 do
    requests[index] = wrk.format("GET", "/items/" .. index)
  end
end

function request()
  local text = requests[place]
  place = place + 1
  if requests[place] == nil then place = 0 end
  return text
end

function done(summary, latency, requests)
  local errors = summary.errors
  io.write(string.format(
    "%d %d %d\n",
    summary.requests * 1000000 / summary.duration,
    latency:percentile(99),
    errors.connect + errors.read + errors.write + errors.status + errors.timeout
  ))
end
