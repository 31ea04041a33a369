export const alone = () => "nobody imports this";
