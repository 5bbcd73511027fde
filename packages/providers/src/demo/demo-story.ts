/** About 400 words, for watching text stream in and stopping it half-way. */
export const LONG_STORY = `Here is a long story. It is long on purpose: watch it arrive, or stop it half-way.

The lighthouse at the end of the northern pier had been dark for eleven years when the harbour office sent a clerk to count what was left inside it. Her name was Ilse, and she had asked for the job, because she liked lists and because nobody else wanted the stairs.

She began at the bottom. One iron stove, cold. Two chairs, one of them good. A barometer that still pointed to fair weather, though it was raining. On a shelf stood the log books, a hundred and four of them, each with a year on its spine in a careful hand.

She opened the last one, meaning only to note its condition. Every night had a line. Wind from the west, two ships, lamp trimmed at three. Wind turning, no ships, lamp trimmed at three. The keeper had written nothing about himself, and yet after an hour she knew him: he was exact, he disliked the word about, and when he had not seen a thing he said so. Fog until five, the entry of one February said, I heard an engine and cannot say whose.

On the last written page the lines stopped in the middle of the month. She expected an explanation and found none. Then she noticed a slip of paper in the fold. It said that the lamp had been switched over to the office on the hill, that the new one needed nobody, and that the keeper had stayed on for nine nights to make sure. On the tenth he had gone home. Below that, smaller, stood one more sentence: “The new lamp was late by four minutes on the second night; I have told them, and they have written it down.”

Ilse sat in the good chair for a while. Outside, the automatic light on the hill came on, and she looked at her watch without meaning to. Then she took her pencil and finished her list. One stove, two chairs, one barometer, a hundred and four books, complete. In the column for remarks, where people usually wrote none, she thought about what she had seen and what she had only supposed.

All entries legible, she wrote. The keeper says what he saw, and when he did not see, he says that. Recommend keeping.

They kept them. The books are in the town hall now, behind glass, open at the page about the fog. Schoolchildren are taken past it in spring, and most of them remember the barometer. But every few years one of them stops at the line about the engine, and reads it twice, and goes home a little more careful with words.

That is the end of the story.`;
