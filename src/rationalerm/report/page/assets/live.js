// A page that `view` serves: asks now and then whether the run went on, and takes the new data in without losing the place.
const EVERY = 2000;

function watch(first, swap, finished) {
  const said = $("live");
  let stamp = first ?? null;
  const tell = (text, off) => {
    said.hidden = finished(); // it goes on asking: a run may be taken up again
    if (said.textContent !== text) said.textContent = text;
    said.classList.toggle("off", off);
  };
  const ask = async () => {
    try {
      const state = await (await answered("./state")).json();
      if (stamp !== null && state.stamp !== stamp) {
        const text = await (await answered("./")).text();
        await swap(new DOMParser().parseFromString(text, "text/html"));
      }
      stamp = state.stamp;
      tell("● live", false);
    } catch {
      tell("○ not reachable, trying again", true);
    }
    setTimeout(ask, EVERY);
  };
  tell("● live", false);
  setTimeout(ask, first === undefined ? 0 : EVERY);
}

async function answered(url) {
  const reply = await fetch(url, {cache: "no-store"});
  if (!reply.ok) throw new Error(`${url}: ${reply.status}`);
  return reply;
}
