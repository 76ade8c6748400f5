-- Sends the requests of a file in turn, each with a number of its own: wrk -s load.lua URL -- FILE
local made, turn, count = {}, 0, 0

function init(arguments)
  local file = assert(io.open(arguments[1], "rb"))
  while true do
    local size = file:read("*l")
    if not size then break end
    made[#made + 1] = file:read(tonumber(size))
  end
  file:close()
  count = tonumber(arguments[2])
end

function request()
  turn = turn + 1
  local number = string.format("%012d", count + turn)
  return (made[(turn - 1) % #made + 1]:gsub("@@@@@@@@@@@@", number, 1))
end

function done(summary, latency)
  local errors = summary.errors
  local failed = errors.connect + errors.read + errors.write + errors.status + errors.timeout
  io.write(string.format(
    "\n=%d %d %d %d %.3f %.3f\n", summary.requests, summary.duration, summary.bytes, failed,
    latency:percentile(50) / 1000, latency:percentile(99) / 1000))
end
