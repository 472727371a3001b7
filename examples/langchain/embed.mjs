// Asks a gateway for private vectors through LangChain, until the budget is spent.
//
// LangChain's own class for OpenAI is used as it is. It keeps the vectors of an answer
// alone, so a fetch of ours looks at what else is there: the guarantee and its cost.

import { OpenAIEmbeddings } from "@langchain/openai";

const url = process.env.SOTTO_URL ?? "http://127.0.0.1:8787";
const user = process.env.SOTTO_USER ?? "example";

let privacy; // of the last answer

async function watchedFetch(address, request) {
  // LangChain has no setting for the user whose budget is spent.
  const body = JSON.stringify({ ...JSON.parse(request.body), user });
  const reply = await fetch(address, { ...request, body });
  if (reply.ok) {
    ({ privacy } = await reply.clone().json());
  }
  return reply;
}

function embeddings(settings) {
  return new OpenAIEmbeddings({
    model: "sotto",
    apiKey: process.env.SOTTO_KEY ?? "unused",
    maxRetries: 0, // a budget that is spent stays spent until its window ends
    configuration: { baseURL: url + "/v1", fetch: watchedFetch },
    ...settings,
  });
}

const [vector] = await embeddings().embedDocuments(["I feel unwell today"]);
const width = vector.length;
console.log(
  `a vector of ${width} numbers, epsilon ${Number(privacy.epsilon.toPrecision(4))} for each ${privacy.unit}` +
    ` by ${privacy.mechanism}; it cost ${privacy.cost}, and ${privacy.left} is left`,
);

// A private vector has the width of its mechanism. Another is refused, and not cut.
const again = await embeddings({ dimensions: width }).embedQuery("I feel unwell today");
const same = again.every((x, i) => Math.fround(x) === Math.fround(vector[i])) ? "the same" : "another";
console.log(`the same text again, with dimensions ${width}: ${same} vector, it cost ${privacy.cost}`);
try {
  await embeddings({ dimensions: 7 }).embedQuery("I feel unwell today");
} catch (refused) {
  console.log(`with dimensions 7: status ${refused.status}, ${refused.code}`);
}

// Every new text is paid for, until the budget is spent.
for (let day = 1; ; day++) {
  try {
    await embeddings().embedQuery(`On day ${day} I felt better`);
  } catch (refused) {
    if (refused.code !== "over_budget" || day > 1000) {
      throw refused;
    }
    const { asked, left } = refused.error;
    console.log(`text ${day} was refused: status ${refused.status}, ${refused.code}, asked for ${asked} with ${left} left`);
    break;
  }
}
